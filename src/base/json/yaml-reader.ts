import { isAlias, isMap, isScalar, isSeq, type YAMLMap } from "yaml";
import { ParseError, type ParseReason } from "./error.ts";
import { exactInteger } from "./integer.ts";
import { defaultMaxDepth, type ParseOptions } from "./options.ts";
import { formatPath } from "./scan.ts";

/** Converts a parsed YAML document to a JSON value, node by node, within limits. */
export class YamlReader {
  readonly #text: string;
  readonly #onDuplicate: ParseOptions["onDuplicate"];
  readonly #maxDepth: number;
  readonly #anchored = new Map<string, { value: unknown; size: number }>();
  readonly #path: (string | number)[] = [];
  /** The number of values so far, and its limit: without aliases each value has characters of its own. */
  #size = 0;
  readonly #maxSize: number;

  constructor(text: string, options: ParseOptions) {
    this.#text = text;
    this.#onDuplicate = options.onDuplicate;
    this.#maxDepth = options.maxDepth ?? defaultMaxDepth;
    this.#maxSize = text.length * 2 + 1000;
  }

  read(node: unknown): unknown {
    const before = this.#size;
    this.#grow(1);
    const value = this.#value(node);
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) {
      this.#anchored.set(node.anchor, { value, size: this.#size - before });
    }
    return value;
  }

  #value(node: unknown): unknown {
    if (isScalar(node)) return this.#scalar(node.value);
    if (isAlias(node)) return this.#alias(node.source);
    if (isMap(node)) return this.#map(node);
    if (isSeq(node)) return node.items.map((item, index) => this.#inside(index, item));
    return null;
  }

  #map(node: YAMLMap): unknown {
    const fields = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      const name = this.#name(key);
      if (fields.has(name)) {
        const line = () => this.#lineOf(key);
        this.#onDuplicate?.(formatPath([...this.#path, name]), { key: name, line });
      }
      fields.set(name, this.#inside(name, value));
    }
    return Object.fromEntries(fields);
  }

  #lineOf(node: unknown): number {
    const end = isScalar(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
    return this.#text.slice(0, end).split("\n").length;
  }

  #name(key: unknown): string {
    const value = isAlias(key) ? this.#alias(key.source) : isScalar(key) ? this.read(key) : key;
    if (typeof value === "object" && value !== null) {
      throw this.#refusal("InvalidSyntax", "a key must be text");
    }
    const name = String(value);
    if (name === "__proto__") throw this.#refusal("ForbiddenKey", "__proto__ is a reserved name");
    return name;
  }

  #inside(part: string | number, node: unknown): unknown {
    if (this.#path.length >= this.#maxDepth) {
      throw this.#refusal("TooDeep", `more than ${this.#maxDepth} levels`);
    }
    this.#path.push(part);
    const value = this.read(node);
    this.#path.pop();
    return value;
  }

  #scalar(value: unknown): unknown {
    if (typeof value === "string" && !value.isWellFormed()) {
      throw this.#refusal("InvalidText", "it is not valid Unicode");
    }
    if (typeof value !== "bigint" && typeof value !== "number") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    const integer = typeof value === "bigint" ? exactInteger(value) : undefined;
    if (integer !== undefined) return integer;
    const digits = String(value).slice(0, 40);
    throw this.#refusal("InvalidNumber", `the number ${digits} is out of range`);
  }

  /** Resolves an alias; inside its own anchor it finds nothing yet, so there are no cycles. */
  #alias(source: string): unknown {
    const anchored = this.#anchored.get(source);
    if (anchored === undefined) throw this.#refusal("InvalidAlias", `nothing is named ${source}`);
    this.#grow(anchored.size);
    return anchored.value;
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size > this.#maxSize) throw this.#refusal("InvalidAlias", "it expands too much");
  }

  #refusal(reason: ParseReason, state: string): ParseError {
    const field = formatPath(this.#path);
    return new ParseError(reason, `Cannot accept ${field || "the body"}: ${state}`, { field });
  }
}
