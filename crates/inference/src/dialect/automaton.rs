//! Finds markers in a stream, one step a byte (Aho and Corasick, 1975): after each byte it knows the longest end of the
//! text that begins a marker. Letters count in any case here; whether a marker cares is asked when one is whole.

use super::form::Marker;

/// Where the automaton stands: how the read text ends, as far as markers care.
pub(super) type State = u16;

/// The steps for one set of markers.
#[derive(Debug)]
pub(super) struct Automaton {
    markers: Vec<Marker>,
    /// The column of each byte; 0 is for bytes that stand in no marker.
    columns: [u8; 256],
    width: usize,
    next: Vec<State>,
    /// The length of the marker's beginning that the text ends with.
    depth: Vec<u16>,
    /// The markers that end here, longest first.
    ends: Vec<Vec<u8>>,
}

impl Automaton {
    pub(super) fn new(markers: Vec<Marker>) -> Automaton {
        let (columns, width) = columns(&markers);
        let mut built = Automaton { markers, columns, width, next: Vec::new(), depth: Vec::new(), ends: Vec::new() };
        built.add_state(0);
        for index in 0..built.markers.len() {
            built.add_marker(index);
        }
        built.link();
        built
    }

    /// The state after one more byte.
    pub(super) fn step(&self, state: State, byte: u8) -> State {
        self.next[usize::from(state) * self.width + usize::from(self.columns[usize::from(byte)])]
    }

    /// The length of the longest end of the text that begins a marker.
    pub(super) fn depth(&self, state: State) -> usize {
        usize::from(self.depth[usize::from(state)])
    }

    /// The markers that the text ends with, longest first, whatever the case of their letters.
    pub(super) fn whole(&self, state: State) -> impl Iterator<Item = &Marker> {
        self.ends[usize::from(state)].iter().map(|index| &self.markers[usize::from(*index)])
    }

    fn add_state(&mut self, depth: u16) -> State {
        self.next.extend(std::iter::repeat_n(0, self.width));
        self.depth.push(depth);
        self.ends.push(Vec::new());
        State::try_from(self.depth.len() - 1).expect("the markers of a dialect are some hundred bytes")
    }

    fn add_marker(&mut self, index: usize) {
        let mut state: State = 0;
        for byte in self.markers[index].text.bytes() {
            let place = usize::from(state) * self.width + usize::from(self.columns[usize::from(byte)]);
            if self.next[place] == 0 {
                let depth = self.depth[usize::from(state)] + 1;
                self.next[place] = self.add_state(depth);
            }
            state = self.next[place];
        }
        self.ends[usize::from(state)].push(u8::try_from(index).expect("a dialect has fewer than 256 markers"));
    }

    /// Fills in the steps that leave a marker for the beginning of another, nearest states first.
    fn link(&mut self) {
        let mut order: Vec<(State, State)> = self.successors(0).map(|next| (next, 0)).collect();
        let mut done = 0;
        while done < order.len() {
            let (state, fallback) = order[done];
            done += 1;
            let inherited = self.ends[usize::from(fallback)].clone();
            self.ends[usize::from(state)].extend(inherited);
            for column in 0..self.width {
                let after_fallback = self.next[usize::from(fallback) * self.width + column];
                let place = usize::from(state) * self.width + column;
                if self.next[place] == 0 {
                    self.next[place] = after_fallback;
                } else {
                    order.push((self.next[place], after_fallback));
                }
            }
        }
    }

    fn successors(&self, state: State) -> impl Iterator<Item = State> {
        let from = usize::from(state) * self.width;
        self.next[from..from + self.width].iter().copied().filter(|next| *next != 0)
    }
}

fn columns(markers: &[Marker]) -> ([u8; 256], usize) {
    let mut columns = [0; 256];
    let mut width: u8 = 1;
    for byte in markers.iter().flat_map(|marker| marker.text.bytes()) {
        let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
        if columns[usize::from(lower)] == 0 {
            columns[usize::from(lower)] = width;
            columns[usize::from(upper)] = width;
            width = width.checked_add(1).expect("there are fewer than 255 different bytes in markers");
        }
    }
    (columns, usize::from(width))
}
