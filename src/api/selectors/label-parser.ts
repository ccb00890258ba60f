import { qualifiedName } from "../fields/names.ts";
import { SelectorError } from "./error.ts";
import {
  invalid,
  type LabelOperator,
  type LabelRequirement,
  requirementFaults,
  sortedValues,
} from "./label-requirement.ts";

/** Parses a selector such as `app=web,tier in (a,b),!legacy`. */
export function parseLabelRequirements(text: string): LabelRequirement[] {
  return new Parser(text).parse();
}

type Sign = "=" | "==" | "!=" | "!" | "(" | ")" | "," | ">" | "<" | "in" | "notin";

interface Token {
  /** The type: `name` for anything that is no sign; `wrong` for signs that make no sense. */
  readonly type: Sign | "name" | "end" | "wrong";
  readonly text: string;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = [...scan(text)];
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    while (this.#peek().type !== "end") {
      if (!this.#startsRequirement()) {
        throw unexpected(this.#peek(), "!, identifier, or 'end of string'");
      }
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.type === "end") break;
      if (separator.type !== ",") throw unexpected(separator, "',' or 'end of string'");
      if (!this.#startsRequirement()) throw unexpected(this.#peek(), "identifier after ','");
    }
    return requirements;
  }

  #startsRequirement(): boolean {
    const { type } = this.#peek();
    return type === "!" || isName(type);
  }

  #requirement(): LabelRequirement {
    try {
      const requirement = this.#read();
      const faults = requirementFaults(requirement);
      if (faults.length > 0) throw new SelectorError(joined(faults));
      return requirement;
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
    }
  }

  #read(): LabelRequirement {
    const isAbsent = this.#peek().type === "!";
    if (isAbsent) this.#take();
    const name = this.#take();
    if (!isName(name.type)) throw unexpected(name, "identifier");
    const key = name.text;
    const faults = qualifiedName(key);
    if (faults.length > 0) throw new SelectorError(invalid("<nil>", key, faults.join("; ")));
    if (isAbsent) return { key, operator: "!", values: [] };
    const { type } = this.#peek();
    if (type === "end" || type === ",") return { key, operator: "exists", values: [] };
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#values() : [this.#value()];
    return { key, operator, values: sortedValues(values) };
  }

  #operator(): LabelOperator {
    const token = this.#take();
    const operator = operators.get(token.type);
    if (operator !== undefined) return operator;
    throw unexpected(token, "in, notin, =, ==, !=, gt, lt");
  }

  #value(): string {
    const { type } = this.#peek();
    if (type === "end" || type === ",") return "";
    const token = this.#take();
    if (!isName(token.type)) throw unexpected(token, "identifier");
    return token.text;
  }

  /** Parses `(a,b)`; an element without text is the empty value. */
  #values(): string[] {
    const open = this.#take();
    if (open.type !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    for (let isFirst = true; ; isFirst = false) {
      const token = this.#peek();
      if (isName(token.type)) values.push(this.#take().text);
      else if (token.type === "," || token.type === ")") values.push("");
      else throw unexpected(token, isFirst ? "',', ')' or identifier" : "',', or identifier");
      const separator = this.#take();
      if (separator.type === ")") return values;
      if (separator.type !== ",") throw unexpected(separator, "',' or ')'");
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? end;
  }

  #take(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }
}

const end: Token = { type: "end", text: "" };

const operators = new Map<Token["type"], LabelOperator>([
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  ["in", "in"],
  ["notin", "notin"],
  [">", "gt"],
  ["<", "lt"],
]);

/** Whether a token is a name; `in` and `notin` are, where no operator is expected. */
function isName(type: Token["type"]): boolean {
  return type === "name" || type === "in" || type === "notin";
}

function* scan(text: string): Generator<Token> {
  for (const [token] of text.matchAll(/==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g)) {
    const isSign = /^[=!(),<>]/.test(token) || token === "in" || token === "notin";
    yield { type: isSign ? (token as Sign) : "name", text: token };
  }
}

function unexpected({ text }: Token, expected: string): SelectorError {
  return new SelectorError(`found '${text}', expected: ${expected}`);
}

function joined(faults: readonly string[]): string {
  return faults.length === 1 ? String(faults[0]) : `[${faults.join(", ")}]`;
}
