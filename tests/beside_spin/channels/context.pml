/* A context that cancels its children. */
proctype Child(chan cancel; chan out) { byte i; do :: i < 2 -> i++ :: out!i -> break :: cancel?_ -> break od }
proctype Parent() {
  chan c1 = [1] of { bit }; chan c2 = [1] of { bit }; chan out = [2] of { byte };
  run Child(c1, out); run Child(c2, out);
  if :: out?_ :: skip fi;
  c1!1; c2!1
}
init { run Parent() }
