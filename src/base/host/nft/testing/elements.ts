import { defined } from "../../../json/defined.ts";
import type { NftElement } from "../../nft.ts";
import { cut } from "./cursor.ts";
import { refused, type Token } from "./tokens.ts";
import { durationSeconds, durationText, lineOf, plainWord, separateColon } from "./words.ts";

/** Parses the elements between braces. */
export function parseElements(tokens: readonly Token[]): readonly NftElement[] {
  const words = tokens.filter(({ text }) => text !== "\n").flatMap(separateColon);
  return cut(words, ({ text }) => text === ",").map(parseElement);
}

/** The identity of an element: its key. */
export function keyText({ key }: NftElement): string {
  return key.join(" . ");
}

export function elementText(element: NftElement): string {
  const { value, comment, timeoutSeconds } = element;
  const timeout = timeoutSeconds === undefined ? "" : ` timeout ${durationText(timeoutSeconds)}`;
  const remark = comment === undefined ? "" : ` comment "${comment}"`;
  const target = value === undefined ? "" : ` : ${value.join(" . ")}`;
  return keyText(element) + timeout + remark + target;
}

function parseElement(tokens: readonly Token[]): NftElement {
  const colon = tokens.findIndex(({ text }) => text === ":");
  const left = colon < 0 ? tokens : tokens.slice(0, colon);
  const value = colon < 0 ? undefined : parts(tokens.slice(colon + 1));
  const options = left.findIndex(({ text }) => optionNames.has(text));
  const key = parts(options < 0 ? left : left.slice(0, options));
  if (key.length === 0 || value?.length === 0) throw refused(tokens[0], "expecting an element");
  return {
    key,
    ...defined({ value }),
    ...(options >= 0 && parseOptions(left.slice(options))),
  };
}

const optionNames = new Set(["timeout", "expires", "comment", "counter"]);

/** Parses an element's options; the time it has left and its counters are state, and are dropped. */
function parseOptions(tokens: readonly Token[]): Pick<NftElement, "comment" | "timeoutSeconds"> {
  const valueOf = (name: string): string | undefined => {
    const at = tokens.findIndex(({ text }) => text === name);
    return at < 0 ? undefined : tokens[at + 1]?.text;
  };
  const comment = valueOf("comment");
  const timeout = valueOf("timeout");
  const timeoutSeconds = timeout === undefined ? undefined : durationSeconds(timeout);
  if (timeout !== undefined && timeoutSeconds === undefined) {
    throw refused(tokens[0], `unexpected ${timeout}, expecting a time`);
  }
  return defined({ comment: comment?.slice(1, -1), timeoutSeconds });
}

function parts(tokens: readonly Token[]): readonly string[] {
  return cut(tokens, ({ text }) => text === ".").map((part) =>
    lineOf(part.map((token) => ({ ...token, text: plainWord(token.text) }))),
  );
}
