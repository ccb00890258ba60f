import type { Rule } from "./table.ts";
import { refused, type Token } from "./tokens.ts";
import { lineOf, plainWord } from "./words.ts";

/** Makes a rule of its words, which are opaque but for the chains, sets and objects they mention. */
export function ruleOf(tokens: readonly Token[]): Rule {
  if (tokens.length === 0) throw refused(undefined, "expecting a rule");
  return { text: lineOf(tokens), uses: [...mentions(tokens)] };
}

function* mentions(tokens: readonly Token[]): Generator<string> {
  for (const [at, { text }] of tokens.entries()) {
    const before = plainWord(tokens[at - 1]?.text ?? "");
    const name = plainWord(text);
    if (before === "jump" || before === "goto") yield `chain ${name}`;
    // `@th,16,16` is a piece of the packet, not a set.
    else if (/^@[^,]+$/.test(text)) yield `set ${text.slice(1)}`;
    else if (before === "name") yield `${tokens[at - 2]?.text} ${name}`;
  }
}
