//! Filters of system calls as programs for the kernel: a decision tree over the call's number.
//!
//! The kernel translates a new filter into code of its own and runs it once for every call that
//! there is, to learn which ones are always allowed. A tree whose branches share their ends keeps
//! both short: a list would cost a tenth of a bare spawn.

use std::collections::BTreeMap;

/// One instruction, as the kernel has it (`struct sock_filter`).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instruction {
    code: u16,
    when_true: u8,
    when_false: u8,
    value: u32,
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// It goes on.
    Allow,
    /// It fails with this number.
    Fail(i32),
    /// Whoever holds the listener answers.
    Ask,
}

const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;

/// The first number that nobody had given out when the rules were written. What comes there later
/// may reach anywhere; programs ask whether the kernel has it and live without.
const UNKNOWN: u32 = 470;

const NUMBER_AT: u32 = 0;
const ARCH_AT: u32 = 4;
const ARGUMENTS_AT: u32 = 16;

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xc000_00b7;
/// The second calling convention of x86-64 counts from here.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

impl Action {
    fn number(self) -> u32 {
        match self {
            Action::Allow => 0x7fff_0000,
            Action::Fail(errno) => 0x0005_0000 | (errno as u32 & 0xffff),
            Action::Ask => 0x7fc0_0000,
        }
    }
}

/// The steps for one call; it always ends in an action.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps(Vec<Instruction>);

impl Steps {
    /// One action, whatever the arguments are.
    pub(super) fn always(action: Action) -> Steps {
        Steps(vec![finish(action)])
    }

    /// Starts with nothing decided.
    pub(super) fn new() -> Steps {
        Steps::default()
    }

    /// If the low half of an argument is one of these, this is done.
    pub(super) fn when_one_of(mut self, argument: u32, values: &[u32], action: Action) -> Steps {
        self.0.push(load(ARGUMENTS_AT + 8 * argument));
        self.0.extend(any_of(values, action));
        self
    }

    /// If the low half of an argument, under a mask, is one of these, this is done.
    pub(super) fn when_masked(
        mut self,
        (argument, mask): (u32, u32),
        values: &[u32],
        action: Action,
    ) -> Steps {
        self.0.push(load(ARGUMENTS_AT + 8 * argument));
        self.0.push(Instruction { code: AND, when_true: 0, when_false: 0, value: mask });
        self.0.extend(any_of(values, action));
        self
    }

    /// If one of these bits is set in the low half of an argument, this is done.
    pub(super) fn when_any_bit(mut self, argument: u32, bits: u32, action: Action) -> Steps {
        self.0.push(load(ARGUMENTS_AT + 8 * argument));
        self.0.push(branch(IF_ANY_BIT, bits, 0, 1));
        self.0.push(finish(action));
        self
    }

    /// If an argument is zero in both halves, this is done.
    pub(super) fn when_zero(mut self, argument: u32, action: Action) -> Steps {
        self.0.push(load(ARGUMENTS_AT + 8 * argument));
        self.0.push(branch(IF_EQUAL, 0, 0, 3));
        self.0.push(load(ARGUMENTS_AT + 8 * argument + 4));
        self.0.push(branch(IF_EQUAL, 0, 0, 1));
        self.0.push(finish(action));
        self
    }

    /// If one of these bits is set in one argument, and one of those in another, this is done.
    pub(super) fn when_bits_of_both(
        mut self,
        first: (u32, u32),
        second: (u32, u32),
        action: Action,
    ) -> Steps {
        self.0.push(load(ARGUMENTS_AT + 8 * first.0));
        self.0.push(branch(IF_ANY_BIT, first.1, 0, 3));
        self.when_any_bit(second.0, second.1, action)
    }

    /// If none of these bits is set in the low half of an argument, this is done.
    pub(super) fn when_no_bit(mut self, argument: u32, bits: u32, action: Action) -> Steps {
        self.0.push(load(ARGUMENTS_AT + 8 * argument));
        self.0.push(branch(IF_ANY_BIT, bits, 1, 0));
        self.0.push(finish(action));
        self
    }

    /// If the low half of one argument equals a value, and that of another, under a mask, is one
    /// of these, this is done.
    pub(super) fn when_pair(
        mut self,
        first: (u32, u32),
        second: (u32, u32, &[u32]),
        action: Action,
    ) -> Steps {
        let mut inner = vec![
            load(ARGUMENTS_AT + 8 * second.0),
            Instruction { code: AND, when_true: 0, when_false: 0, value: second.1 },
        ];
        inner.extend(any_of(second.2, action));
        self.0.push(load(ARGUMENTS_AT + 8 * first.0));
        self.0.push(branch(IF_EQUAL, first.1, 0, inner.len() as u8));
        self.0.extend(inner);
        self
    }

    /// Everything else.
    pub(super) fn otherwise(mut self, action: Action) -> Steps {
        self.0.push(finish(action));
        self
    }

    /// What these let go on, others decide; those that let nothing go on stay as they are.
    fn then(mut self, others: Steps) -> Steps {
        if self.0.last() == Some(&finish(Action::Allow)) {
            self.0.pop();
            self.0.extend(others.0);
        }
        self
    }
}

/// The calls that are not simply allowed, each with its steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules(BTreeMap<u32, Steps>);

/// Who sees to calls of other conventions, and to those that nobody knows yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// This program: they do not exist for the command.
    Here,
    /// Another one that the command stands behind.
    Elsewhere,
}

impl Rules {
    /// Sets what happens to a call; the last word counts.
    pub(super) fn set(&mut self, call: libc::c_long, steps: Steps) {
        self.0.insert(call as u32, steps);
    }

    /// The same for several calls.
    pub(super) fn set_all(&mut self, calls: &[libc::c_long], action: Action) {
        calls.iter().for_each(|call| self.set(*call, Steps::always(action)));
    }

    /// Those of others come first, and these decide what they let go on.
    pub(super) fn behind(mut self, others: Rules) -> Rules {
        for (call, first) in others.0 {
            let both = match self.0.remove(&call) {
                Some(then) => first.then(then),
                None => first,
            };
            self.0.insert(call, both);
        }
        self
    }

    /// The whole program.
    pub(super) fn assemble(&self, foreign: Foreign) -> Vec<Instruction> {
        let refused = finish(Action::Fail(libc::ENOSYS));
        let calls: Vec<(u32, &Steps)> = self.0.iter().map(|(call, steps)| (*call, steps)).collect();
        let allow = [finish(Action::Allow)];
        let mut all = stretches(&calls, &allow);
        let mut program = Vec::new();
        match foreign {
            Foreign::Here => {
                program.extend([load(ARCH_AT), branch(IF_EQUAL, ARCH, 1, 0), refused]);
                program.push(load(NUMBER_AT));
                #[cfg(target_arch = "x86_64")]
                program.extend([branch(IF_AT_LEAST, X32, 0, 1), refused]);
                all.retain(|stretch| stretch.first < UNKNOWN);
                all.push(Stretch { first: UNKNOWN, steps: std::slice::from_ref(&refused) });
            }
            Foreign::Elsewhere => program.push(load(NUMBER_AT)),
        }
        program.extend(tree(&all));
        program
    }
}

/// A stretch of numbers that are treated alike, from its first number to the next stretch.
#[derive(Debug, Clone, Copy)]
struct Stretch<'a> {
    first: u32,
    steps: &'a [Instruction],
}

/// The numbers of all calls, cut into stretches.
fn stretches<'a>(calls: &[(u32, &'a Steps)], allow: &'a [Instruction]) -> Vec<Stretch<'a>> {
    let mut all = vec![Stretch { first: 0, steps: allow }];
    let mut push = |first: u32, steps: &'a [Instruction]| match all.last_mut() {
        Some(last) if last.steps == steps => {}
        Some(last) if last.first == first => last.steps = steps,
        Some(_) | None => all.push(Stretch { first, steps }),
    };
    for (at, (call, steps)) in calls.iter().enumerate() {
        push(*call, &steps.0);
        // What is no call is treated like its neighbours, which saves two decisions.
        let next = calls.get(at + 1).map_or(UNKNOWN, |(next, _)| *next);
        if (call + 1..next).any(|number| !is_void(number)) {
            push(call + 1, allow);
        }
    }
    all
}

/// Whether the kernel has no call of this number, and never will: those of long ago, and those that
/// were left out.
#[cfg(target_arch = "x86_64")]
fn is_void(number: u32) -> bool {
    let early = matches!(number, 156 | 174 | 177..=178 | 180..=185 | 205 | 211..=212);
    early || matches!(number, 214..=215 | 236 | 337..=423)
}

#[cfg(not(target_arch = "x86_64"))]
fn is_void(_: u32) -> bool {
    false
}

/// A tree over the stretches: one page where the short jumps reach, else two behind a long one.
fn tree(stretches: &[Stretch<'_>]) -> Vec<Instruction> {
    if let Some(page) = Page::of(stretches) {
        return page;
    }
    let (low, high) = stretches.split_at(stretches.len() / 2);
    let low_part = tree(low);
    let mut all = vec![
        branch(IF_AT_LEAST, high[0].first, 0, 1),
        Instruction { code: JUMP, when_true: 0, when_false: 0, value: low_part.len() as u32 },
    ];
    all.extend(low_part);
    all.extend(tree(high));
    all
}

/// Single calls that are compared one by one; more are divided, or each call would run through all.
const MOST_IN_A_ROW: usize = 5;

/// A stretch with single numbers in it that are treated otherwise: one decision for each of them is
/// enough, where three stretches would take two.
#[derive(Debug)]
struct Meadow<'a> {
    first: u32,
    steps: &'a [Instruction],
    stones: Vec<(u32, &'a [Instruction])>,
}

fn meadows<'a>(stretches: &[Stretch<'a>]) -> Vec<Meadow<'a>> {
    let mut all: Vec<Meadow<'a>> = Vec::new();
    let mut at = 0;
    while let Some(stretch) = stretches.get(at) {
        let steps = all.last().map(|last| last.steps);
        let single = |pair: &[Stretch<'_>]| pair[1].first == pair[0].first + 1;
        let stones = stretches[at..].windows(2).take_while(|pair| single(pair));
        let stones = stones.take_while(|pair| Some(pair[0].steps) != steps).count();
        let goes_on = stones > 0 && stretches.get(at + stones).map(|next| next.steps) == steps;
        match all.last_mut().filter(|_| goes_on) {
            Some(last) => {
                let stones = &stretches[at..at + stones];
                last.stones.extend(stones.iter().map(|stone| (stone.first, stone.steps)));
                at += stones.len() + 1;
            }
            None => {
                let Stretch { first, steps } = *stretch;
                all.push(Meadow { first, steps, stones: Vec::new() });
                at += 1;
            }
        }
    }
    all
}

/// Where a decision leads.
#[derive(Debug, Clone, Copy)]
enum Target {
    Decision(usize),
    Steps(usize),
}

/// Decisions first, then the steps that they lead to, each kind of steps once. The kernel
/// translates every instruction anew for each command, a fifth of a microsecond each.
#[derive(Debug, Default)]
struct Page<'a> {
    decisions: Vec<(u16, u32, Target, Target)>,
    steps: Vec<&'a [Instruction]>,
}

impl<'a> Page<'a> {
    /// The whole page, or nothing where a jump does not reach.
    fn of(stretches: &[Stretch<'a>]) -> Option<Vec<Instruction>> {
        let mut page = Page::default();
        if let Target::Steps(_) = page.decide(&meadows(stretches)) {
            return stretches.first().map(|only| only.steps.to_vec());
        }
        page.written()
    }

    fn decide(&mut self, meadows: &[Meadow<'a>]) -> Target {
        match meadows {
            [] => unreachable!("a page is made of stretches, and no half of two is empty"),
            [only] => self.look_for(only.steps, &only.stones),
            _ => {
                let (low, high) = meadows.split_at(meadows.len() / 2);
                let at = self.reserve(IF_AT_LEAST, high[0].first);
                let other = self.decide(low);
                let met = self.decide(high);
                self.settle(at, met, other)
            }
        }
    }

    /// One after the other, but for many.
    fn look_for(
        &mut self,
        steps: &'a [Instruction],
        stones: &[(u32, &'a [Instruction])],
    ) -> Target {
        let Some((one, rest)) = stones.split_first() else { return self.leads_to(steps) };
        if stones.len() > MOST_IN_A_ROW {
            let (low, high) = stones.split_at(stones.len() / 2);
            let at = self.reserve(IF_AT_LEAST, high[0].0);
            let other = self.look_for(steps, low);
            let met = self.look_for(steps, high);
            return self.settle(at, met, other);
        }
        let at = self.reserve(IF_EQUAL, one.0);
        let met = self.leads_to(one.1);
        let other = self.look_for(steps, rest);
        self.settle(at, met, other)
    }

    fn reserve(&mut self, code: u16, value: u32) -> usize {
        self.decisions.push((code, value, Target::Steps(0), Target::Steps(0)));
        self.decisions.len() - 1
    }

    fn settle(&mut self, at: usize, met: Target, other: Target) -> Target {
        let (code, value, ..) = self.decisions[at];
        self.decisions[at] = (code, value, met, other);
        Target::Decision(at)
    }

    fn leads_to(&mut self, steps: &'a [Instruction]) -> Target {
        let known = self.steps.iter().position(|known| *known == steps);
        Target::Steps(known.unwrap_or_else(|| {
            self.steps.push(steps);
            self.steps.len() - 1
        }))
    }

    fn written(&self) -> Option<Vec<Instruction>> {
        // The longest last: what counts is how far their beginnings are.
        let mut order: Vec<usize> = (0..self.steps.len()).collect();
        order.sort_by_key(|number| self.steps[*number].len());
        let mut starts = vec![0; self.steps.len()];
        let mut end = self.decisions.len();
        for number in &order {
            starts[*number] = end;
            end += self.steps[*number].len();
        }
        let mut all = Vec::with_capacity(end);
        for (at, (code, value, met, other)) in self.decisions.iter().enumerate() {
            let jump = |target: &Target| {
                let place = match target {
                    Target::Decision(place) => *place,
                    Target::Steps(number) => starts[*number],
                };
                u8::try_from(place - at - 1).ok()
            };
            all.push(branch(*code, *value, jump(met)?, jump(other)?));
        }
        order.iter().for_each(|number| all.extend_from_slice(self.steps[*number]));
        Some(all)
    }
}

/// If what is loaded is one of these values, this is done; the values share their end.
fn any_of(values: &[u32], action: Action) -> Vec<Instruction> {
    let count = values.len();
    let one = |(at, value): (usize, &u32)| {
        let is_last = at + 1 == count;
        branch(IF_EQUAL, *value, (count - at - 1) as u8, u8::from(is_last))
    };
    let mut all: Vec<Instruction> = values.iter().enumerate().map(one).collect();
    all.extend((count > 0).then(|| finish(action)));
    all
}

fn load(at: u32) -> Instruction {
    Instruction { code: LOAD, when_true: 0, when_false: 0, value: at }
}

fn branch(code: u16, value: u32, when_true: u8, when_false: u8) -> Instruction {
    Instruction { code, when_true, when_false, value }
}

fn finish(action: Action) -> Instruction {
    Instruction { code: RETURN, when_true: 0, when_false: 0, value: action.number() }
}

/// Runs a program as the kernel would.
#[cfg(test)]
pub(super) fn run(program: &[Instruction], call: u32, arguments: [u64; 6]) -> u32 {
    let mut words = vec![call, ARCH, 0, 0];
    arguments.iter().for_each(|a| words.extend([*a as u32, (*a >> 32) as u32]));
    let (mut at, mut held) = (0usize, 0u32);
    loop {
        let Instruction { code, when_true, when_false, value } = program[at];
        at += 1;
        let skip = |met: bool| usize::from(if met { when_true } else { when_false });
        match code {
            LOAD => held = words[value as usize / 4],
            JUMP => at += value as usize,
            IF_EQUAL => at += skip(held == value),
            IF_AT_LEAST => at += skip(held >= value),
            IF_ANY_BIT => at += skip(held & value != 0),
            AND => held &= value,
            RETURN => return value,
            other => panic!("unknown code {other:x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_gets_its_own_answer_and_no_other() {
        let mut rules = Rules::default();
        for call in (0..400).step_by(3) {
            rules.set(call, Steps::always(Action::Fail(call as i32 + 1)));
        }
        let program = rules.assemble(Foreign::Here);
        assert!(program.len() < 1000, "{}", program.len());
        for call in (0..400).filter(|call| !is_void(*call)) {
            let expected =
                if call % 3 == 0 { Action::Fail(call as i32 + 1) } else { Action::Allow };
            assert_eq!(run(&program, call, [0; 6]), expected.number(), "call {call}");
        }
        #[cfg(target_arch = "x86_64")]
        assert_eq!(run(&program, X32 | 1, [0; 6]), Action::Fail(libc::ENOSYS).number());
    }

    #[test]
    fn crowds_and_lone_calls_get_their_own_answers_however_they_lie() {
        let mut seed = 1u32;
        let mut next = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for _ in 0..200 {
            let share = 1 + next(12);
            let mut rules = Rules::default();
            let mut expected = vec![Action::Allow; UNKNOWN as usize];
            for call in 0..UNKNOWN {
                if next(share) == 0 {
                    let action = [Action::Ask, Action::Fail(1), Action::Fail(2)][next(3) as usize];
                    rules.set(libc::c_long::from(call), Steps::always(action));
                    expected[call as usize] = action;
                }
            }
            let program = rules.assemble(Foreign::Here);
            for call in (0..UNKNOWN).filter(|call| !is_void(*call)) {
                let right = expected[call as usize].number();
                assert_eq!(run(&program, call, [0; 6]), right, "call {call}");
            }
        }
    }

    #[test]
    fn calls_that_nobody_knows_yet_do_not_exist() {
        let mut rules = Rules::default();
        rules.set(libc::c_long::from(UNKNOWN) - 1, Steps::always(Action::Ask));
        for rules in [rules, Rules::default()] {
            let program = rules.assemble(Foreign::Here);
            for call in UNKNOWN..UNKNOWN + 1000 {
                let absent = Action::Fail(libc::ENOSYS).number();
                assert_eq!(run(&program, call, [0; 6]), absent, "call {call}");
            }
            assert_eq!(run(&program, UNKNOWN - 2, [0; 6]), Action::Allow.number());
        }
    }

    #[test]
    fn arguments_decide_where_they_are_asked_for() {
        let fail = Action::Fail(1);
        let mut rules = Rules::default();
        rules.set(7, Steps::new().when_any_bit(0, 0b110, fail).otherwise(Action::Allow));
        rules.set(8, Steps::new().when_zero(1, Action::Allow).otherwise(fail));
        rules
            .set(9, Steps::new().when_pair((0, 1), (1, 0xf, &[2, 3]), fail).otherwise(Action::Ask));
        rules.set(10, Steps::new().when_no_bit(0, 4, Action::Allow).otherwise(fail));
        let masked = Steps::new().when_one_of(1, &[0x101, 0x203, 0x305], Action::Allow);
        let masked = masked.when_masked((1, 0xff00), &[0x100, 0x200, 0x300], fail);
        rules.set(11, masked.otherwise(Action::Ask));
        let both = Steps::new().when_bits_of_both((0, 4), (1, 0x20), fail);
        rules.set(12, both.otherwise(Action::Ask));
        let program = rules.assemble(Foreign::Here);
        assert_eq!(run(&program, 10, [3, 0, 0, 0, 0, 0]), Action::Allow.number());
        assert_eq!(run(&program, 10, [5, 0, 0, 0, 0, 0]), fail.number());
        let on = |call, first, second| run(&program, call, [first, second, 0, 0, 0, 0]);
        let answers = [0x101, 0x203, 0x305, 0x102, 0x7_0300, 0x400].map(|it| on(11, 0, it));
        let (allow, ask) = (Action::Allow, Action::Ask);
        assert_eq!(answers, [allow, allow, allow, fail, fail, ask].map(Action::number));
        let answers = [(4, 0x20), (5, 0x22), (4, 2), (3, 0x20)].map(|(a, b)| on(12, a, b));
        assert_eq!(answers, [fail, fail, ask, ask].map(Action::number));
        assert_eq!(on(7, 2, 0), fail.number());
        assert_eq!(on(7, 1, 0), Action::Allow.number());
        assert_eq!(on(8, 0, 0), Action::Allow.number());
        assert_eq!(on(8, 0, 1 << 40), fail.number());
        assert_eq!(on(9, 1, 0x80003), fail.number());
        assert_eq!(on(9, 1, 0x80001), Action::Ask.number());
        assert_eq!(on(9, 2, 3), Action::Ask.number());
    }
}
