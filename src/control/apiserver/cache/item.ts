// An object as the server keeps it: the JSON it answers with, as bytes. It is parsed only when
// somebody needs to look inside.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { Revision } from "../../store/store.ts";

/** The values of an object that selectors match. */
export interface Selectable {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

export type SelectableOf = (object: ApiObject) => Selectable;

/** The selectable values of an object, with the function that computed them. */
export interface KnownSelectable {
  readonly of: SelectableOf;
  readonly value: Selectable;
}

/** Upgrades, in place, an object that another version of the server wrote. */
export type Repair = (object: ApiObject) => void;

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface ItemState {
  readonly modified: Revision;
  readonly repair?: Repair | undefined;
  readonly selectable?: KnownSelectable | undefined;
}

export class Item implements Place {
  readonly namespace: string;
  readonly name: string;
  readonly modified: Revision;
  #bytes: Buffer;
  /** The repair, delayed until the object is read: most are replaced before anybody reads them. */
  #repair: Repair | undefined;
  #selectable: KnownSelectable | undefined;

  constructor(place: Place, bytes: Buffer, state: ItemState) {
    this.namespace = place.namespace;
    this.name = place.name;
    this.modified = state.modified;
    this.#bytes = bytes;
    this.#repair = state.repair;
    this.#selectable = state.selectable;
  }

  /** The JSON with `resourceVersion` as the first field of `metadata`. */
  get bytes(): Buffer {
    if (this.#repair !== undefined) {
      const object = readJson(this.#bytes.toString()) as ApiObject;
      this.#repair(object);
      this.#repair = undefined;
      this.#bytes = embedRevision(encodeStored(object), this.modified);
    }
    return this.#bytes;
  }

  /** The length of the stored form, which has no revision. */
  get storedLength(): number {
    return this.bytes.length - revisionField(this.modified).length;
  }

  /** The bytes of the metadata, which follow `kind` and `apiVersion`; they are found without parsing. */
  get metadataBytes(): Buffer {
    const { bytes } = this;
    const start = metadataStart(bytes) - 1;
    return bytes.subarray(start, endOfObject(bytes, start));
  }

  /** Parses the object: a new copy each time, which the caller may change. */
  parse(): ApiObject {
    return readJson(this.bytes.toString()) as ApiObject;
  }

  selectable(of: SelectableOf): Selectable {
    if (this.#selectable?.of !== of) this.#selectable = { of, value: of(this.parse()) };
    return this.#selectable.value;
  }

  /** Returns the object under another revision: watchers get it so when it was deleted. */
  at(revision: Revision): Item {
    const { bytes } = this;
    const start = metadataStart(bytes);
    const end = start + revisionField(this.modified).length;
    const moved = splice(bytes, { start, end, field: revisionField(revision) });
    return new Item(this, moved, { modified: revision });
  }
}

/** Makes an item of a stored value, which has no revision, because that is known only after the commit. */
export function itemFromStored(place: Place, value: Uint8Array, state: ItemState): Item {
  const stored = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return new Item(place, embedRevision(stored, state.modified), state);
}

/** Encodes the stored form: `kind`, `apiVersion`, `metadata` come first, which the revision goes into. */
export function encodeStored(object: ApiObject): Buffer {
  const { kind, apiVersion, metadata, ...rest } = object;
  const { resourceVersion: _, ...kept } = metadata ?? {};
  return Buffer.from(JSON.stringify({ kind, apiVersion, metadata: kept, ...rest }));
}

function embedRevision(stored: Buffer, revision: Revision): Buffer {
  const start = metadataStart(stored);
  return splice(stored, { start, end: start, field: revisionField(revision) });
}

const metadataMark = '"metadata":{';

/** Returns the offset of the first field of `metadata`. */
function metadataStart(bytes: Buffer): number {
  const at = bytes.indexOf(metadataMark, 0, "latin1");
  if (at < 0) throw new Error("Cannot read a stored object: it has no metadata");
  return at + metadataMark.length;
}

/** Returns the offset behind the brace that closes the one at `start`. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfText(bytes, at);
    else if (byte === openBrace) depth++;
    else if (byte === closeBrace && --depth === 0) return at + 1;
  }
  throw new Error("Cannot read a stored object: its metadata has no end");
}

/** Returns the offset of the quote that ends the text starting at `start`. */
function endOfText(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return bytes.length;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function revisionField(revision: Revision): string {
  return `"resourceVersion":"${revision}",`;
}

function splice(bytes: Buffer, part: { start: number; end: number; field: string }): Buffer {
  const { start, end, field } = part;
  // The buffer is not pooled: one long-lived item would keep a whole pool of short-lived buffers in memory.
  const result = Buffer.allocUnsafeSlow(bytes.length - (end - start) + field.length);
  bytes.copy(result, 0, 0, start);
  result.write(field, start, "latin1");
  bytes.copy(result, start + field.length, end);
  return result;
}
