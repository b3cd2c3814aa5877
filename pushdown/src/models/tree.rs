//! A concurrent binary search tree with recursive insertion and search (section 5.3 of the paper).
//!
//! Inserters take a node, give it any key, and insert it: a child pointer is set in one step if it is null, otherwise the
//! insertion goes on below. Then they search for their key and must find it. Searchers search for any key.
//! With `racy`, insertion looks whether the pointer is null and sets it in a later step: then insertions are lost.

use crate::boolean::expression::{
    Expression, Variable, add, choose, equal, less, not, number, read,
};
use crate::boolean::program::{Program, Statement, any};

/// Bits of a key.
const KEY: usize = 2;
/// Bits of a pointer: at most three nodes; 0 is null.
const POINTER: usize = 2;

/// The program with so many inserters (at most three) and searchers.
pub fn tree(inserters: usize, searchers: usize, racy: bool) -> Program {
    let mut program = Program::default();
    let nodes = inserters.clamp(1, 3);
    let next = program.global("next", POINTER, Some(0));
    let root = program.global("root", POINTER, Some(0));
    let mut field = |name: &str, width| -> Vec<Variable> {
        (1..=nodes)
            .map(|node| program.global(&format!("{name}{node}"), width, Some(0)))
            .collect()
    };
    let key = field("key", KEY);
    let left = field("left", POINTER);
    let right = field("right", POINTER);

    let insert = program.procedure("insert", &[("node", POINTER), ("new", POINTER)], 0);
    let (node, new) = (Variable::Local(0), Variable::Local(1));
    let go = |fields: &[Variable]| {
        let child = at(fields, read(node));
        let set = write(fields, read(node), read(new));
        let deeper = vec![
            Statement::Step(not(equal(child.clone(), number(0))), vec![]),
            Statement::Call(insert, vec![child.clone(), read(new)], None),
        ];
        let here = match racy {
            false => vec![Statement::Step(equal(child, number(0)), set)],
            true => vec![
                Statement::Step(equal(child, number(0)), vec![]),
                Statement::Step(number(1), set),
            ],
        };
        vec![Statement::Choose(vec![here, deeper])]
    };
    let less_than = less(at(&key, read(new)), at(&key, read(node)));
    let same = equal(at(&key, read(new)), at(&key, read(node)));
    program.body(
        insert,
        vec![Statement::If(
            same,
            vec![],
            vec![Statement::If(less_than, go(&left), go(&right))],
        )],
    );

    let search = program.procedure("search", &[("node", POINTER), ("wanted", KEY)], 1);
    let (node, wanted) = (Variable::Local(0), Variable::Local(1));
    let found = program.local(search, "found", 1);
    let below = |fields: &[Variable]| {
        vec![
            Statement::Call(
                search,
                vec![at(fields, read(node)), read(wanted)],
                Some(found),
            ),
            Statement::Return(read(found)),
        ]
    };
    program.body(
        search,
        vec![
            Statement::If(
                equal(read(node), number(0)),
                vec![Statement::Return(number(0))],
                vec![],
            ),
            Statement::If(
                equal(at(&key, read(node)), read(wanted)),
                vec![Statement::Return(number(1))],
                vec![],
            ),
            Statement::If(
                less(read(wanted), at(&key, read(node))),
                below(&left),
                below(&right),
            ),
        ],
    );

    let inserter = program.procedure("inserter", &[], 0);
    let mine = program.local(inserter, "mine", KEY);
    let taken = program.local(inserter, "taken", POINTER);
    let found = program.local(inserter, "found", 1);
    let one_more = || add(read(next), number(1));
    let mut take = write(&key, one_more(), read(mine));
    take.push((next, Some(one_more())));
    take.push((taken, Some(one_more())));
    let empty = || equal(read(root), number(0));
    let set_root = vec![(root, Some(read(taken)))];
    program.body(
        inserter,
        vec![
            any(mine),
            Statement::Step(number(1), take),
            Statement::Choose(vec![
                match racy {
                    false => vec![Statement::Step(empty(), set_root)],
                    true => vec![
                        Statement::Step(empty(), vec![]),
                        Statement::Step(number(1), set_root),
                    ],
                },
                vec![
                    Statement::Step(not(empty()), vec![]),
                    Statement::Call(insert, vec![read(root), read(taken)], None),
                ],
            ]),
            Statement::Call(search, vec![read(root), read(mine)], Some(found)),
            Statement::Assert(read(found)),
        ],
    );

    let searcher = program.procedure("searcher", &[], 0);
    let wanted = program.local(searcher, "wanted", KEY);
    let found = program.local(searcher, "found", 1);
    program.body(
        searcher,
        vec![
            any(wanted),
            Statement::Call(search, vec![read(root), read(wanted)], Some(found)),
        ],
    );
    for _ in 0..nodes {
        program.thread(inserter, &[]);
    }
    for _ in 0..searchers {
        program.thread(searcher, &[]);
    }
    program
}

/// The field of the node with that number; 0 if there is none.
fn at(fields: &[Variable], node: Expression) -> Expression {
    let each = fields.iter().zip(1..);
    each.fold(number(0), |other, (field, index)| {
        choose(equal(node.clone(), number(index)), read(*field), other)
    })
}

/// Sets the field of the node with that number.
fn write(
    fields: &[Variable],
    node: Expression,
    value: Expression,
) -> Vec<(Variable, Option<Expression>)> {
    let one = |(field, index): (&Variable, u64)| {
        let chosen = equal(node.clone(), number(index));
        (*field, Some(choose(chosen, value.clone(), read(*field))))
    };
    fields.iter().zip(1..).map(one).collect()
}
