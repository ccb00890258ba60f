// Shell completion: candidates for the end of an unfinished command line.

import { type NamedOption, nameOptions, type Option, type OptionType } from "../program/options.ts";
import type { CommandEntry, Program } from "./command.ts";
import { isGroup, isLeaf } from "./find-command.ts";
import { globalOptions } from "./global-options.ts";

export interface Candidate {
  readonly text: string;
  readonly help: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The names that the shell itself should offer besides the candidates. */
  readonly shell: "files" | "directories" | "nothing";
}

/** Completes `words`, which are those after the program's name; the last one, maybe empty, is being typed. */
export async function complete(program: Program, words: readonly string[]): Promise<Completion> {
  const typed = words.at(-1) ?? "";
  const state = await readWords(program, words.slice(0, -1));
  const { awaiting } = state;
  if (awaiting !== undefined) return completeValue(awaiting.option.type, typed);
  if (state.isBehindDashes) return state.hasRest ? files : completeArgument(state, typed);
  if (typed.startsWith("--") && typed.includes("=")) return completeAssignment(state, typed);
  if (typed.startsWith("-")) return only(typed, state.options.flatMap(flagCandidates));
  if (state.entries.length > 0) return only(typed, state.entries.map(entryCandidate));
  return completeArgument(state, typed);
}

interface State {
  /** The commands that may come next. */
  entries: readonly CommandEntry[];
  options: readonly NamedOption[];
  args: readonly OptionType<unknown>[];
  wordCount: number;
  /** The flag whose value comes next. */
  awaiting: NamedOption | undefined;
  isBehindDashes: boolean;
  /** Whether the words after `--` belong to another program. */
  hasRest: boolean;
}

const files: Completion = { candidates: [], shell: "files" };

async function readWords(program: Program, words: readonly string[]): Promise<State> {
  const state: State = {
    entries: visible(program.commands),
    options: listed(globalOptions),
    args: [],
    wordCount: 0,
    awaiting: undefined,
    isBehindDashes: false,
    hasRest: false,
  };
  for (const word of words) {
    if (state.awaiting !== undefined) state.awaiting = undefined;
    else if (state.isBehindDashes) state.wordCount += 1;
    else if (word === "--") state.isBehindDashes = true;
    else if (word.startsWith("-")) state.awaiting = flagWithoutValue(state.options, word);
    else if (state.entries.length > 0) await enter(state, word);
    else state.wordCount += 1;
  }
  return state;
}

async function enter(state: State, word: string): Promise<void> {
  const entry = state.entries.find(({ name }) => name === word);
  state.entries = entry !== undefined && isGroup(entry) ? visible(entry.commands) : [];
  if (!isLeaf(entry)) return;
  const { command } = await entry.load();
  state.options = listed({ ...command.options, ...globalOptions });
  state.args = Object.values(command.args ?? {}).map(({ type }) => type);
  state.hasRest = command.rest !== undefined;
}

function completeArgument(state: State, typed: string): Completion {
  const last = state.args.at(-1);
  const type = state.args[state.wordCount] ?? (last?.isList ? last : undefined);
  return type === undefined ? only(typed, []) : completeValue(type, typed);
}

function completeAssignment(state: State, typed: string): Completion {
  const start = typed.slice(0, typed.indexOf("=") + 1);
  const named = state.options.find(({ flag }) => start === `--${flag}=`);
  if (named === undefined) return only(typed, []);
  return completeValue(named.option.type, typed.slice(start.length), start);
}

/** Completes a value; `before` stays: a flag with its equals sign, or the elements of a list so far. */
function completeValue(type: OptionType<unknown>, typed: string, before = ""): Completion {
  const comma = type.isList ? typed.lastIndexOf(",") + 1 : 0;
  const kept = before + typed.slice(0, comma);
  const choices = (type.choices ?? []).map((text) => ({ text: kept + text, help: "" }));
  return { ...only(kept + typed.slice(comma), choices), shell: type.completes ?? "nothing" };
}

function only(typed: string, candidates: readonly Candidate[]): Completion {
  return {
    candidates: candidates.filter(({ text }) => text.startsWith(typed)),
    shell: "nothing",
  };
}

/** The flag that a word names, if its value is still to come. */
function flagWithoutValue(options: readonly NamedOption[], word: string): NamedOption | undefined {
  const named = options.find(
    ({ flag, option }) => word === `--${flag}` || word === `-${option.short}`,
  );
  return named?.option.type.isSwitch === true ? undefined : named;
}

/** The candidates for a flag, with an equals sign where a value must follow and can be completed. */
function flagCandidates({ flag, option }: NamedOption): Candidate[] {
  const { help } = option;
  if (!option.type.isSwitch) return [{ text: `--${flag}=`, help }];
  const off = option.default === true ? [{ text: `--no-${flag}`, help }] : [];
  return [{ text: `--${flag}`, help }, ...off];
}

function entryCandidate({ name, summary }: CommandEntry): Candidate {
  return { text: name, help: summary };
}

function visible(entries: readonly CommandEntry[]): CommandEntry[] {
  return entries.filter(({ hidden }) => hidden !== true);
}

function listed(options: Readonly<Record<string, Option>>): NamedOption[] {
  return nameOptions(options).filter(({ option }) => !option.hidden);
}
