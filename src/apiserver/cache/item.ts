// An object as the server keeps it: the JSON it answers with, as bytes. It is parsed only when
// somebody needs to look inside.
import type { ApiObject } from "../../api/kinds/kind.ts";
import type { Revision } from "../../store/port.ts";

/** What selectors ask of an object. */
export interface Selectable {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

export type SelectableOf = (object: ApiObject) => Selectable;

export class Item {
  readonly namespace: string;
  readonly name: string;
  /** With `resourceVersion`, as the first field of `metadata`. */
  readonly bytes: Buffer;
  readonly modified: Revision;
  #selectable: { readonly of: SelectableOf; readonly value: Selectable } | undefined;

  constructor(place: { namespace: string; name: string }, bytes: Buffer, modified: Revision) {
    this.namespace = place.namespace;
    this.name = place.name;
    this.bytes = bytes;
    this.modified = modified;
  }

  /** The length of the stored form, which has no revision. */
  get storedLength(): number {
    return this.bytes.length - revisionField(this.modified).length;
  }

  /** A new copy each time: the caller may change it. */
  parse(): ApiObject {
    return JSON.parse(this.bytes.toString()) as ApiObject;
  }

  selectable(of: SelectableOf): Selectable {
    if (this.#selectable?.of !== of) this.#selectable = { of, value: of(this.parse()) };
    return this.#selectable.value;
  }

  /** The same object under another revision: what a watcher is told when it is gone. */
  at(revision: Revision): Item {
    const start = metadataStart(this.bytes);
    const end = start + revisionField(this.modified).length;
    const bytes = splice(this.bytes, { start, end, field: revisionField(revision) });
    return new Item(this, bytes, revision);
  }
}

/** Stored values carry no revision, because it is not known before they are committed. */
export function itemFromStored(
  place: { namespace: string; name: string },
  value: Uint8Array,
  modified: Revision,
): Item {
  const stored = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const start = metadataStart(stored);
  const bytes = splice(stored, { start, end: start, field: revisionField(modified) });
  return new Item(place, bytes, modified);
}

/** The stored form: `kind`, `apiVersion` and `metadata` come first, so that the revision finds its place. */
export function encodeStored(object: ApiObject): Buffer {
  const { kind, apiVersion, metadata, ...rest } = object;
  const { resourceVersion: _, ...kept } = metadata ?? {};
  return Buffer.from(JSON.stringify({ kind, apiVersion, metadata: kept, ...rest }));
}

const metadataMark = '"metadata":{';

/** Where the first field of `metadata` starts. */
export function metadataStart(bytes: Buffer): number {
  const at = bytes.indexOf(metadataMark, 0, "latin1");
  if (at < 0) throw new Error("Cannot read a stored object: it has no metadata");
  return at + metadataMark.length;
}

function revisionField(revision: Revision): string {
  return `"resourceVersion":"${revision}",`;
}

function splice(bytes: Buffer, part: { start: number; end: number; field: string }): Buffer {
  const { start, end, field } = part;
  const result = Buffer.allocUnsafe(bytes.length - (end - start) + field.length);
  bytes.copy(result, 0, 0, start);
  result.write(field, start, "latin1");
  bytes.copy(result, start + field.length, end);
  return result;
}
