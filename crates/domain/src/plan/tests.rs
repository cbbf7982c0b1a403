//! Plans, one by one: each kind of fold where it is the smallest that suffices. Random conversations are planned in
//! `tests/it/plan_fits.rs`.

use super::{Budget, Counts, Plan, cut, plan};
use crate::context::{Part, Place};
use crate::id::{CallId, MessageId, TurnId};

/// A conversation of parts with their tokens; the letters say what each is: a message, a reply, a result.
#[derive(Default)]
struct Talk {
    places: Vec<Place>,
    items: Vec<u32>,
}

impl Talk {
    /// A turn that opens with a message and has rounds of a reply and one result each; the last has no result.
    fn turn(mut self, name: &str, message: u32, rounds: &[(u32, u32)]) -> Self {
        let turn = TurnId::new(name);
        self.add(Place::new(turn.clone(), 0, Part::Message(MessageId::new(name))), message);
        for (index, (reply, result)) in rounds.iter().enumerate() {
            self.add(Place::new(turn.clone(), index + 1, Part::Reply), *reply);
            if *result > 0 {
                let call = CallId::new(format!("{name}{}", index + 1));
                self.add(Place::new(turn.clone(), index + 1, Part::Result(call)), *result);
            }
        }
        self
    }

    fn add(&mut self, place: Place, tokens: u32) {
        self.places.push(place);
        self.items.push(tokens);
    }

    fn plan(&self, may_summarise: bool) -> Plan {
        plan(&self.counts(), &budget(), &self.places, may_summarise)
    }

    fn counts(&self) -> Counts {
        Counts { system: 90, tools: 0, items: self.items.clone(), around: 10, ..Counts::default() }
    }
}

/// A room of 8,000 tokens.
fn budget() -> Budget {
    Budget::new(10_000, None, 4_096)
}

fn demoted(plan: Plan) -> Vec<String> {
    match plan {
        Plan::Demote(demotion) => {
            let calls = demotion.calls.iter().map(ToString::to_string);
            calls.chain(demotion.messages.iter().map(ToString::to_string)).collect()
        }
        other => panic!("a demotion was expected: {other:?}"),
    }
}

#[test]
fn what_fits_is_sent_with_what_is_left() {
    let talk = Talk::default().turn("a", 7_900, &[]);
    assert_eq!(talk.plan(true), Plan::Fits { tokens: 8_000, left: 2_000 });
}

#[test]
fn old_results_are_demoted_first_and_oldest_first() {
    let talk = Talk::default()
        .turn("a", 100, &[(100, 3_000), (100, 0)])
        .turn("b", 100, &[(100, 3_000), (100, 0)])
        .turn("c", 100, &[(100, 3_000)]);
    assert_eq!(demoted(talk.plan(true)), ["a1"]);
    assert_eq!(demoted(talk.plan(false)), ["a1"]);
}

#[test]
fn old_turns_are_summarised_where_their_results_do_not_suffice() {
    let talk = Talk::default()
        .turn("a", 100, &[(4_000, 0)])
        .turn("b", 100, &[(2_000, 0)])
        .turn("c", 100, &[(1_000, 0)])
        .turn("d", 1_500, &[]);
    let Plan::Summarise(cutting) = talk.plan(true) else { panic!("{:?}", talk.plan(true)) };
    assert_eq!((cutting.cut.turn.as_str(), cutting.cut.rounds, cutting.gone), ("c", 0, 6_200));
}

#[test]
fn without_a_summary_it_is_said_that_it_does_not_fit() {
    let talk = Talk::default().turn("a", 100, &[(7_000, 0)]).turn("b", 1_500, &[]);
    assert_eq!(talk.plan(false), Plan::Overflow { needed: 10_700, window: 10_000 });
}

#[test]
fn a_large_turn_is_cut_between_its_rounds() {
    let talk = Talk::default().turn("a", 500, &[(3_000, 60), (3_000, 60), (2_000, 60)]);
    let Plan::Summarise(cutting) = talk.plan(true) else { panic!("{:?}", talk.plan(true)) };
    assert_eq!((cutting.cut.turn.as_str(), cutting.cut.rounds), ("a", 1));
}

#[test]
fn results_of_earlier_rounds_go_before_those_that_were_not_read_yet() {
    let talk = Talk::default().turn("a", 500, &[(100, 3_000), (100, 3_000), (100, 3_000)]);
    assert_eq!(demoted(talk.plan(false)), ["a1"]);
    let talk = Talk::default().turn("a", 500, &[(100, 60), (100, 4_500)]).turn("b", 10, &[(10, 9_000)]);
    assert_eq!(demoted(talk.plan(false)), ["a2", "b1"]);
}

#[test]
fn a_message_that_fills_the_window_is_shown_in_part() {
    let talk = Talk::default().turn("a", 60_000, &[]);
    assert_eq!(demoted(talk.plan(true)), ["a"]);
}

#[test]
fn what_is_short_already_is_not_shortened_again() {
    let mut talk = Talk::default().turn("a", 100, &[(100, 3_000)]).turn("b", 6_000, &[]);
    assert_eq!(demoted(talk.plan(false)), ["a1"]);
    talk.places.iter_mut().for_each(|place| place.short = true);
    assert!(matches!(talk.plan(false), Plan::Overflow { .. }), "{:?}", talk.plan(false));
}

#[test]
fn a_window_below_the_floor_begins_nothing() {
    let counts = Counts { system: 10, ..Counts::default() };
    assert_eq!(plan(&counts, &Budget::new(2_047, None, 512), &[], true), Plan::TooSmall { prefix: 10, window: 2_047 });
    let counts = Counts { system: 1_025, ..Counts::default() };
    assert_eq!(
        plan(&counts, &Budget::new(2_048, None, 512), &[], true),
        Plan::TooSmall { prefix: 1_025, window: 2_048 }
    );
    let counts = Counts { system: 1_024, ..Counts::default() };
    assert_eq!(plan(&counts, &Budget::new(2_048, None, 512), &[], true), Plan::Fits { tokens: 1_024, left: 1_024 });
}

#[test]
fn the_newest_two_turns_are_kept_even_if_they_are_more_than_their_share() {
    let talk = Talk::default().turn("a", 1_000, &[]).turn("b", 3_000, &[]).turn("c", 3_000, &[]);
    let cutting = cut(&talk.counts(), &talk.places, 8_000).expect("something stands before it");
    assert_eq!(cutting.cut.turn.as_str(), "b");
    let talk = Talk::default().turn("a", 1_000, &[]).turn("b", 200, &[]).turn("c", 200, &[]).turn("d", 200, &[]);
    let cutting = cut(&talk.counts(), &talk.places, 8_000).expect("something stands before it");
    assert_eq!(cutting.cut.turn.as_str(), "c", "all of it would be its share, and then nothing is summarised");
    assert_eq!(cut(&talk.counts(), &talk.places[..1], 8_000), None);
}
