//! Strongly connected components (Tarjan 1972), without recursion.

/// The components of a graph, in reverse topological order: every edge that leaves a component
/// leads to one with a smaller number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Components {
    /// The component of each node; `usize::MAX` for nodes that no root reaches.
    pub(crate) of: Vec<usize>,
    /// The nodes of each component.
    pub(crate) members: Vec<Vec<usize>>,
}

impl Components {
    pub(crate) const UNREACHED: usize = usize::MAX;

    /// The components of the part of a graph with `nodes` nodes that `roots` reach.
    pub(crate) fn new<I>(
        nodes: usize,
        roots: impl IntoIterator<Item = usize>,
        successors: impl Fn(usize) -> I,
    ) -> Self
    where
        I: Iterator<Item = usize>,
    {
        let mut of = vec![Self::UNREACHED; nodes];
        let mut members = Vec::new();
        // The number of a node in order of discovery, 0 before; and the least number it reaches.
        let (mut number, mut low) = (vec![0usize; nodes], vec![0usize; nodes]);
        let (mut count, mut open) = (0, Vec::new());
        for root in roots {
            if number[root] != 0 {
                continue;
            }
            count += 1;
            (number[root], low[root]) = (count, count);
            open.push(root);
            let mut path = vec![(root, successors(root))];
            while let Some((node, rest)) = path.last_mut() {
                let node = *node;
                match rest.next() {
                    Some(next) if number[next] == 0 => {
                        count += 1;
                        (number[next], low[next]) = (count, count);
                        open.push(next);
                        path.push((next, successors(next)));
                    }
                    Some(next) if of[next] == Self::UNREACHED => {
                        low[node] = low[node].min(number[next]);
                    }
                    Some(_) => {}
                    None => {
                        path.pop();
                        if let Some((parent, _)) = path.last() {
                            low[*parent] = low[*parent].min(low[node]);
                        }
                        if low[node] == number[node] {
                            let start = open.iter().rposition(|&n| n == node).unwrap_or(0);
                            let component = open.split_off(start);
                            component.iter().for_each(|&n| of[n] = members.len());
                            members.push(component);
                        }
                    }
                }
            }
        }
        Components { of, members }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_are_mutual_reachability(
            edges in prop::collection::vec((0..8usize, 0..8usize), 0..24),
        ) {
            let successors = |n| edges.iter().filter(move |e| e.0 == n).map(|e| e.1);
            let components = Components::new(8, [0, 3], successors);
            let mut reach = [[false; 8]; 8];
            (0..8).for_each(|n| reach[n][n] = true);
            for _ in 0..8 {
                for &(a, b) in &edges {
                    for row in &mut reach {
                        row[b] |= row[a];
                    }
                }
            }
            let reached = |n: usize| reach[0][n] || reach[3][n];
            for a in 0..8 {
                prop_assert_eq!(components.of[a] != Components::UNREACHED, reached(a));
            }
            let pairs = (0..64).map(|i| (i / 8, i % 8));
            for (a, b) in pairs.filter(|&(a, b)| reached(a) && reached(b)) {
                let same = components.of[a] == components.of[b];
                prop_assert_eq!(same, reach[a][b] && reach[b][a]);
                prop_assert!(!reach[a][b] || components.of[a] >= components.of[b]);
            }
        }
    }
}
