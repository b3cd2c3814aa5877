//! A growable array whose copy constructor races with the removal of all elements (section 5.1 of the paper).
//!
//! The test puts `x` into the first vector, creates a thread that removes all elements from it, and copies it. The copy
//! must be empty, or its first element must be `x`. An element is a pointer: 0 is null, 1 is the object with the value `x`,
//! which stays on the heap. All variables but `x` have 8 bits, as in the paper.
//!
//! - Racy: the constructor reads the size, and later copies the elements that are there then.
//! - Repaired: the constructor takes a copy of the elements in one step, and the size from that copy.

use crate::boolean::expression::{Variable, and, equal, less, not, number, or, read, subtract};
use crate::boolean::program::{Program, Statement, assign};

/// The test program with `bits` bits for `x`.
pub fn test(bits: usize, racy: bool) -> Program {
    let mut program = Program::default();
    // The heap: the object, and for each vector its size and its element.
    let object = program.global("object", bits, Some(0));
    let size1 = program.global("size1", 8, Some(0));
    let element1 = program.global("element1", 8, Some(0));
    let size2 = program.global("size2", 8, Some(0));
    let element2 = program.global("element2", 8, Some(0));

    let remove_all = program.procedure("remove_all", &[], 0);
    program.body(
        remove_all,
        vec![Statement::While(
            less(number(0), read(size1)),
            vec![
                assign(element1, number(0)),
                Statement::Step(
                    number(1),
                    vec![(size1, Some(subtract(read(size1), number(1))))],
                ),
            ],
        )],
    );

    let add_element = program.procedure("add", &[("pointer", 8)], 0);
    let pointer = Variable::Local(0);
    program.body(
        add_element,
        vec![Statement::Step(
            number(1),
            vec![
                (element1, Some(read(pointer))),
                (
                    size1,
                    Some(crate::boolean::expression::add(read(size1), number(1))),
                ),
            ],
        )],
    );

    let copy = program.procedure("copy", &[], 0);
    let size = program.local(copy, "size", 8);
    let element = program.local(copy, "element", 8);
    let body = match racy {
        true => vec![
            assign(size, read(size1)),
            assign(size2, read(size)),
            Statement::If(
                less(number(0), read(size1)),
                vec![assign(element2, read(element1))],
                vec![],
            ),
        ],
        false => vec![
            // Removal holds the vector's lock while it works; the copy is made under the same lock.
            Statement::Step(
                or(equal(read(size1), number(0)), read(element1)),
                vec![(size, Some(read(size1))), (element, Some(read(element1)))],
            ),
            assign(size2, read(size)),
            assign(element2, read(element)),
        ],
    };
    program.body(copy, body);

    let main = program.procedure("main", &[("x", bits)], 0);
    let x = Variable::Local(0);
    let value = program.local(main, "value", bits);
    let has = program.local(main, "has", 8);
    program.body(
        main,
        vec![
            crate::boolean::program::any(x),
            assign(object, read(x)),
            Statement::Call(add_element, vec![number(1)], None),
            Statement::Spawn(remove_all, vec![]),
            Statement::Call(copy, vec![], None),
            Statement::Step(
                number(1),
                vec![(has, Some(read(element2))), (value, Some(read(object)))],
            ),
            Statement::Assert(or(
                equal(read(size2), number(0)),
                and(read(has), not(not(equal(read(value), read(x))))),
            )),
        ],
    );
    program.thread(main, &[0]);
    program
}
