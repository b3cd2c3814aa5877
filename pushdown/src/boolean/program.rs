//! What boolean programs are made of.

use super::expression::{Expression, Variable};

/// The number of a procedure.
pub type ProcedureId = usize;

/// A variable with its width in bits.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The name.
    pub name: String,
    /// The number of bits.
    pub width: usize,
    /// The initial value; `None` for any. Locals start with it at every call; parameters have the values of the call.
    pub initial: Option<u64>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Waits until the guard holds, and then makes all assignments at once. `None` is any value.
    Step(Expression, Vec<(Variable, Option<Expression>)>),
    /// It is an error if the expression is 0.
    Assert(Expression),
    /// One of two blocks.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// A block as long as the expression is not 0.
    While(Expression, Vec<Statement>),
    /// One of several blocks.
    Choose(Vec<Vec<Statement>>),
    /// A call with arguments; the result is assigned to a local variable.
    Call(ProcedureId, Vec<Expression>, Option<Variable>),
    /// Ends the procedure with a result.
    Return(Expression),
    /// Creates a thread that runs a procedure.
    Spawn(ProcedureId, Vec<Expression>),
}

/// Assigns to one variable.
pub fn assign(variable: Variable, value: Expression) -> Statement {
    Statement::Step(Expression::Number(1), vec![(variable, Some(value))])
}

/// Assigns any value.
pub fn any(variable: Variable) -> Statement {
    Statement::Step(Expression::Number(1), vec![(variable, None)])
}

/// Waits until the expression is not 0.
pub fn wait(condition: Expression) -> Statement {
    Statement::Step(condition, Vec::new())
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The name.
    pub name: String,
    /// The local variables, parameters first.
    pub locals: Vec<Declaration>,
    /// How many of them are parameters.
    pub parameters: usize,
    /// The width of the result; 0 for none.
    pub result: usize,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The shared variables.
    pub globals: Vec<Declaration>,
    /// The procedures.
    pub procedures: Vec<Procedure>,
    /// The initial threads: procedures with arguments.
    pub threads: Vec<(ProcedureId, Vec<u64>)>,
}

impl Program {
    /// Declares a shared variable.
    pub fn global(&mut self, name: &str, width: usize, initial: Option<u64>) -> Variable {
        self.globals.push(Declaration {
            name: name.to_owned(),
            width,
            initial,
        });
        Variable::Global(self.globals.len() - 1)
    }

    /// Declares a procedure without a body, so that others can call it.
    pub fn procedure(
        &mut self,
        name: &str,
        parameters: &[(&str, usize)],
        result: usize,
    ) -> ProcedureId {
        let locals = parameters.iter();
        let locals = locals.map(|(name, width)| Declaration {
            name: (*name).to_owned(),
            width: *width,
            initial: None,
        });
        let locals: Vec<Declaration> = locals.collect();
        let parameters = locals.len();
        let name = name.to_owned();
        self.procedures.push(Procedure {
            name,
            locals,
            parameters,
            result,
            body: Vec::new(),
        });
        self.procedures.len() - 1
    }

    /// Declares a local variable that starts with 0.
    pub fn local(&mut self, procedure: ProcedureId, name: &str, width: usize) -> Variable {
        let locals = &mut self.procedures[procedure].locals;
        locals.push(Declaration {
            name: name.to_owned(),
            width,
            initial: Some(0),
        });
        Variable::Local(locals.len() - 1)
    }

    /// Gives a procedure its body.
    pub fn body(&mut self, procedure: ProcedureId, body: Vec<Statement>) {
        self.procedures[procedure].body = body;
    }

    /// Adds an initial thread.
    pub fn thread(&mut self, procedure: ProcedureId, arguments: &[u64]) {
        self.threads.push((procedure, arguments.to_vec()));
    }
}
