// Parses the settings in the braces after a chain, a set or a map into one spelling and order.

import { blockStatements, type Cursor } from "./cursor.ts";
import { refused, type Token } from "./tokens.ts";
import { durationSeconds, durationText, lineOf, priorityText } from "./words.ts";

export interface ChainSpec {
  /** The hook of a base chain: `type nat hook output priority dstnat`. */
  readonly hook?: string;
  readonly policy?: string;
  readonly comment?: string;
}

export interface SetSpec {
  /** The definition, which two sets must have in common to be the same. */
  readonly definition: string;
  /** The whole specification, as printed. */
  readonly text: string;
  /** The number of parts in a key. */
  readonly keyParts: number;
  readonly size?: number;
}

/** Parses a statement of a chain's block, if it is not a rule. */
export function parseChainSetting(cursor: Cursor, family: string): ChainSpec | undefined {
  const setting = cursor.peek;
  if (setting === "policy" && cursor.takes("policy")) return { policy: cursor.word("a verdict") };
  if (setting === "comment" && cursor.takes("comment")) return { comment: cursor.word("a string") };
  if (setting !== "type") return undefined;
  const [head = "", priority = ""] = lineOf(cursor.rest()).split(" priority ");
  return { hook: `${head} priority ${priorityText(priority, family)}` };
}

export function chainText({ hook, policy = "accept", comment }: ChainSpec): string {
  const settings = [
    ...(hook === undefined ? [] : [hook, `policy ${policy}`]),
    ...(comment === undefined ? [] : [`comment ${comment}`]),
  ];
  return blockText(settings);
}

/** The settings as a block, ` { a; b; }`, or nothing when there are none. */
export function blockText(settings: readonly string[]): string {
  return settings.length === 0 ? "" : ` { ${settings.map((setting) => `${setting};`).join(" ")} }`;
}

export interface ParsedSet {
  readonly spec: SetSpec;
  readonly elements: readonly Token[];
}

export function parseSet(kind: "set" | "map", block: readonly Token[]): ParsedSet {
  const settings = new Map<string, string>();
  let elements: readonly Token[] = [];
  for (const cursor of blockStatements(block)) {
    const name = cursor.word("a setting");
    if (!settingOrder.includes(name) && name !== "elements") {
      throw refused(block[0], `unexpected ${name}`);
    }
    if (name === "elements") {
      cursor.takes("=");
      elements = cursor.block();
    } else settings.set(name, settingText(name, lineOf(cursor.rest())));
  }
  return { spec: setSpec(kind, settings, block), elements };
}

const settingOrder =
  "type typeof size flags timeout gc-interval policy auto-merge counter comment".split(" ");

function settingText(name: string, value: string): string {
  if (name === "flags")
    return value
      .split(/\s*,\s*/)
      .toSorted()
      .join(",");
  const seconds = name === "timeout" || name === "gc-interval" ? durationSeconds(value) : undefined;
  return seconds === undefined ? value : durationText(seconds);
}

function setSpec(
  kind: "set" | "map",
  settings: ReadonlyMap<string, string>,
  block: readonly Token[],
): SetSpec {
  const type = settings.get("type") ?? settings.get("typeof");
  if (type === undefined) throw refused(block[0], `${kind} definition does not specify key`);
  const [key = "", data] = type.split(" : ");
  if ((data !== undefined) !== (kind === "map")) {
    throw refused(block[0], `${kind} definition has the wrong form: type ${type}`);
  }
  const size = settings.get("size");
  const named = (name: string): string => `${name} ${settings.get(name) ?? ""}`.trim();
  return {
    definition: [kind, type, named("flags"), settings.has("counter")].join("; "),
    text: blockText(settingOrder.filter((name) => settings.has(name)).map(named)),
    keyParts: key.split(" . ").length,
    ...(size !== undefined && { size: Number(size) }),
  };
}
