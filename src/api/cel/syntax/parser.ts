// Parses an expression to its syntax tree, by recursive descent. Macros are expanded on the way.
import type { Expr, MapEntry, StructField } from "./ast.ts";
import { type Token, type TokenKind, tokenize } from "./lexer.ts";
import { type LiteralValue, literalOf, numberOf } from "./literal.ts";
import { expandMacro, type MacroHelper } from "./macros.ts";
import { CelIssues, type Issue } from "./source.ts";
import { relations, reserved, words } from "./words.ts";

/** The deepest nesting of an expression, and the longest chain of operators. */
const deepest = 250;
/** The longest expression, in code points. */
const longest = 100_000;

/** Parses an expression; throws `CelIssues` when it is not valid. */
export function parse(source: string): Expr {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  readonly #issues: Issue[] = [];
  #tokens: readonly Token[] = [];
  #position = 0;
  #depth = 0;
  #lastId = 0;
  readonly #macros: MacroHelper = {
    next: () => ++this.#lastId,
    refuse: (at, message) => void this.#issues.push({ at, message }),
  };

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Expr {
    let size = 0;
    for (const _ of this.#source) size++;
    if (size > longest) {
      const message = `expression code point size exceeds limit: size: ${size}, limit ${longest}`;
      throw new CelIssues(this.#source, [{ at: 0, message }]);
    }
    const { tokens, issues } = tokenize(this.#source);
    this.#tokens = tokens;
    this.#issues.push(...issues);
    if (issues.length > 0) throw new CelIssues(this.#source, this.#issues);
    const expr = this.#expression();
    if (this.#token.kind !== "end") this.#unexpected("<EOF>");
    if (this.#issues.length > 0) throw new CelIssues(this.#source, this.#issues);
    return expr;
  }

  get #token(): Token {
    return this.#tokens[this.#position] as Token;
  }

  #is(text: string, kind: TokenKind = "operator"): boolean {
    const { kind: present, text: found } = this.#token;
    return found === text && (present === kind || (text === "in" && present === "identifier"));
  }

  #accept(text: string): Token | undefined {
    if (!this.#is(text)) return undefined;
    return this.#tokens[this.#position++];
  }

  #expect(text: string): Token {
    return this.#accept(text) ?? this.#unexpected(`'${text}'`);
  }

  /** Ends parsing: what follows a wrong token says nothing. */
  #unexpected(expected: string): never {
    const { at, text } = this.#token;
    const shown = text.replaceAll("\n", "\\n");
    const message = `Syntax error: mismatched input '${shown}' expecting ${expected}`;
    throw new CelIssues(this.#source, [...this.#issues, { at, message }]);
  }

  #deeper<Result>(work: () => Result): Result {
    if (++this.#depth > deepest) {
      const message = `expression recursion limit exceeded: ${deepest}`;
      throw new CelIssues(this.#source, [{ at: this.#token.at, message }]);
    }
    const result = work();
    this.#depth--;
    return result;
  }

  #call(fn: string, at: number, args: readonly Expr[], id = ++this.#lastId): Expr {
    return { kind: "call", id, at, fn, target: undefined, args };
  }

  #expression(): Expr {
    return this.#deeper(() => {
      const condition = this.#logical("||", "_||_", () =>
        this.#logical("&&", "_&&_", () => this.#relation()),
      );
      const mark = this.#accept("?");
      if (mark === undefined) return condition;
      const yes = this.#logical("||", "_||_", () =>
        this.#logical("&&", "_&&_", () => this.#relation()),
      );
      this.#expect(":");
      return this.#call("_?_:_", mark.at, [condition, yes, this.#expression()]);
    });
  }

  /** Parses terms joined by a logical operator, as a balanced tree so that long chains are not deep. */
  #logical(operator: string, fn: string, term: () => Expr): Expr {
    const terms = [term()];
    const places: number[] = [];
    for (let mark = this.#accept(operator); mark !== undefined; mark = this.#accept(operator)) {
      places.push(mark.at);
      terms.push(term());
    }
    return this.#balanced(fn, terms, places);
  }

  #balanced(fn: string, terms: readonly Expr[], places: readonly number[]): Expr {
    if (terms.length === 1) return terms[0] as Expr;
    const middle = Math.floor(places.length / 2);
    const left = this.#balanced(fn, terms.slice(0, middle + 1), places.slice(0, middle));
    const right = this.#balanced(fn, terms.slice(middle + 1), places.slice(middle + 1));
    return this.#call(fn, places[middle] as number, [left, right]);
  }

  #relation(): Expr {
    return this.#chain(relations, () =>
      this.#chain(new Set(["+", "-"]), () =>
        this.#chain(new Set(["*", "/", "%"]), () => this.#unary()),
      ),
    );
  }

  #chain(operators: ReadonlySet<string>, operand: () => Expr): Expr {
    let left = operand();
    let count = 0;
    for (;;) {
      const { text, at, kind } = this.#token;
      const isOperator = kind === "operator" || (kind === "identifier" && text === "in");
      if (!isOperator || !operators.has(text)) return left;
      if (++count > deepest) {
        const message = `expression recursion limit exceeded: ${deepest}`;
        throw new CelIssues(this.#source, [{ at, message }]);
      }
      this.#position++;
      const right = operand();
      left = this.#call(text === "in" ? "@in" : `_${text}_`, at, [left, right]);
    }
  }

  #unary(): Expr {
    for (const operator of ["!", "-"]) {
      const first = this.#accept(operator);
      if (first === undefined) continue;
      // The sign of a number belongs to the number, so that the smallest integer can be written.
      const isNumber = this.#token.kind === "int" || this.#token.kind === "double";
      if (operator === "-" && isNumber) return this.#members(this.#number(first));
      let count = 1;
      while (this.#accept(operator) !== undefined) count++;
      const operand = this.#member();
      const fn = operator === "!" ? "!_" : "-_";
      return count % 2 === 0 ? operand : this.#call(fn, first.at, [operand]);
    }
    return this.#member();
  }

  #member(): Expr {
    return this.#members(this.#primary());
  }

  #members(start: Expr): Expr {
    let expr = start;
    for (let count = 0; ; count++) {
      if (count > deepest) {
        const message = `expression recursion limit exceeded: ${deepest}`;
        throw new CelIssues(this.#source, [{ at: this.#token.at, message }]);
      }
      const dot = this.#accept(".");
      if (dot !== undefined) {
        expr = this.#dotted(expr, dot);
        continue;
      }
      const bracket = this.#accept("[");
      if (bracket === undefined) return expr;
      const fn = this.#accept("?") === undefined ? "_[_]" : "_[?_]";
      const index = this.#expression();
      this.#expect("]");
      expr = this.#call(fn, bracket.at, [expr, index]);
    }
  }

  #dotted(operand: Expr, dot: Token): Expr {
    const isOptional = this.#accept("?") !== undefined;
    const name = this.#token;
    if (name.kind !== "identifier" || words.has(name.text)) return this.#unexpected("IDENTIFIER");
    this.#position++;
    const id = ++this.#lastId;
    if (isOptional) {
      const field: Expr = { kind: "literal", id: ++this.#lastId, at: name.at, value: name.text };
      return this.#call("_?._", dot.at, [operand, field], id);
    }
    const open = this.#accept("(");
    if (open === undefined) {
      return { kind: "select", id, at: dot.at, operand, field: name.text, isTest: false };
    }
    const args = this.#arguments();
    const call = { kind: "call", id, at: open.at, fn: name.text, target: operand, args } as const;
    return expandMacro(this.#macros, call) ?? call;
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(")") !== undefined) return args;
    do args.push(this.#expression());
    while (this.#accept(",") !== undefined);
    this.#expect(")");
    return args;
  }

  #primary(): Expr {
    const token = this.#token;
    if (token.kind === "operator") {
      if (this.#accept("(") !== undefined) {
        const inner = this.#expression();
        this.#expect(")");
        return inner;
      }
      if (this.#accept("[") !== undefined) return this.#list(token);
      if (this.#accept("{") !== undefined) return this.#map(token);
      if (this.#is(".")) return this.#name();
      return this.#unexpected("{'[', '{', '(', '.', '-', '!', literal, IDENTIFIER}");
    }
    if (token.kind === "identifier") return words.has(token.text) ? this.#word() : this.#name();
    if (token.kind === "end") return this.#unexpected("an expression");
    return this.#literal(token);
  }

  #word(): Expr {
    const { text, at } = this.#token;
    if (text === "in") return this.#unexpected("an expression");
    this.#position++;
    const value = text === "null" ? null : text === "true";
    return { kind: "literal", id: ++this.#lastId, at, value };
  }

  /** Parses an identifier, a call, or a message such as `Object.spec{…}`. */
  #name(): Expr {
    const start = this.#token;
    const leading = this.#accept(".") === undefined ? "" : ".";
    const token = this.#token;
    if (token.kind !== "identifier" || words.has(token.text)) return this.#unexpected("IDENTIFIER");
    const message = this.#messageName();
    if (message !== undefined) return this.#message(leading + message, start);
    this.#position++;
    if (reserved.has(token.text)) {
      this.#issues.push({ at: token.at, message: `reserved identifier: ${token.text}` });
    }
    const name = leading + token.text;
    const open = this.#accept("(");
    if (open === undefined) return { kind: "ident", id: ++this.#lastId, at: start.at, name };
    const id = ++this.#lastId;
    const args = this.#arguments();
    const call = { kind: "call", id, at: open.at, fn: name, target: undefined, args } as const;
    return expandMacro(this.#macros, call) ?? call;
  }

  /** Returns the name of the message that begins here, and moves to its brace. */
  #messageName(): string | undefined {
    const names: string[] = [];
    for (let position = this.#position; ; position += 2) {
      const [name, mark] = [this.#tokens[position], this.#tokens[position + 1]];
      if (name?.kind !== "identifier" || words.has(name.text)) return undefined;
      names.push(name.text);
      if (mark?.kind !== "operator") return undefined;
      if (mark.text === "{") {
        this.#position = position + 1;
        return names.join(".");
      }
      if (mark.text !== ".") return undefined;
    }
  }

  #message(name: string, start: Token): Expr {
    const id = ++this.#lastId;
    const open = this.#expect("{");
    const fields: StructField[] = [];
    while (!this.#is("}")) {
      const isOptional = this.#accept("?") !== undefined;
      const token = this.#token;
      if (token.kind !== "identifier") return this.#unexpected("IDENTIFIER");
      this.#position++;
      const fieldId = ++this.#lastId;
      const colon = this.#expect(":");
      const value = this.#expression();
      fields.push({ id: fieldId, at: colon.at, name: token.text, value, isOptional });
      if (this.#accept(",") === undefined) break;
    }
    this.#expect("}");
    return { kind: "struct", id, at: open.at ?? start.at, name, fields };
  }

  #list({ at }: Token): Expr {
    const id = ++this.#lastId;
    const elements: Expr[] = [];
    const optional = new Set<number>();
    while (!this.#is("]")) {
      if (this.#accept("?") !== undefined) optional.add(elements.length);
      elements.push(this.#expression());
      if (this.#accept(",") === undefined) break;
    }
    this.#expect("]");
    return { kind: "list", id, at, elements, optional };
  }

  #map({ at }: Token): Expr {
    const id = ++this.#lastId;
    const entries: MapEntry[] = [];
    while (!this.#is("}")) {
      const isOptional = this.#accept("?") !== undefined;
      const entryId = ++this.#lastId;
      const key = this.#expression();
      this.#expect(":");
      entries.push({ id: entryId, key, value: this.#expression(), isOptional });
      if (this.#accept(",") === undefined) break;
    }
    this.#expect("}");
    return { kind: "map", id, at, entries };
  }

  #literal(token: Token): Expr {
    if (token.kind === "int" || token.kind === "double") return this.#number(undefined);
    return this.#constant(token.at, literalOf(token));
  }

  #number(sign: Token | undefined): Expr {
    const token = this.#token;
    return this.#constant(sign?.at ?? token.at, numberOf(token, sign !== undefined));
  }

  /** Takes the present token, whose value is known. */
  #constant(at: number, { value, problem }: LiteralValue): Expr {
    this.#position++;
    if (problem !== undefined) this.#issues.push({ at, message: problem });
    return { kind: "literal", id: ++this.#lastId, at, value };
  }
}
