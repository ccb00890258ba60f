// An object as the server keeps it: the JSON it answers with, as bytes. It is parsed only when
// somebody needs to look inside.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { Revision } from "../../store/store.ts";

/** What selectors ask of an object. */
export interface Selectable {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

export type SelectableOf = (object: ApiObject) => Selectable;

/** Brings what another version of the server wrote up to date, in place. */
export type Repair = (object: ApiObject) => void;

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export class Item implements Place {
  readonly namespace: string;
  readonly name: string;
  readonly modified: Revision;
  #bytes: Buffer;
  /** Waits until somebody reads the object: most are never read before they are replaced. */
  #repair: Repair | undefined;
  #selectable: { readonly of: SelectableOf; readonly value: Selectable } | undefined;

  constructor(
    place: Place,
    bytes: Buffer,
    state: { modified: Revision; repair?: Repair | undefined },
  ) {
    this.namespace = place.namespace;
    this.name = place.name;
    this.modified = state.modified;
    this.#bytes = bytes;
    this.#repair = state.repair;
  }

  /** With `resourceVersion`, as the first field of `metadata`. */
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

  /** A new copy each time: the caller may change it. */
  parse(): ApiObject {
    return readJson(this.bytes.toString()) as ApiObject;
  }

  selectable(of: SelectableOf): Selectable {
    if (this.#selectable?.of !== of) this.#selectable = { of, value: of(this.parse()) };
    return this.#selectable.value;
  }

  /** The same object under another revision: what a watcher is told when it is gone. */
  at(revision: Revision): Item {
    const { bytes } = this;
    const start = metadataStart(bytes);
    const end = start + revisionField(this.modified).length;
    const moved = splice(bytes, { start, end, field: revisionField(revision) });
    return new Item(this, moved, { modified: revision });
  }
}

/** Stored values carry no revision, because it is not known before they are committed. */
export function itemFromStored(
  place: Place,
  value: Uint8Array,
  state: { modified: Revision; repair?: Repair | undefined },
): Item {
  const stored = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return new Item(place, embedRevision(stored, state.modified), state);
}

/** The stored form: `kind`, `apiVersion` and `metadata` come first, so that the revision finds its place. */
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

/** Where the first field of `metadata` starts. */
function metadataStart(bytes: Buffer): number {
  const at = bytes.indexOf(metadataMark, 0, "latin1");
  if (at < 0) throw new Error("Cannot read a stored object: it has no metadata");
  return at + metadataMark.length;
}

function revisionField(revision: Revision): string {
  return `"resourceVersion":"${revision}",`;
}

function splice(bytes: Buffer, part: { start: number; end: number; field: string }): Buffer {
  const { start, end, field } = part;
  // Not from the pool that buffers of passing requests come from: one item would keep several of them.
  const result = Buffer.allocUnsafeSlow(bytes.length - (end - start) + field.length);
  bytes.copy(result, 0, 0, start);
  result.write(field, start, "latin1");
  bytes.copy(result, start + field.length, end);
  return result;
}
