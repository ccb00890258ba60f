// Negotiates the form of an answer by the Accept header, as kube-apiserver does: preferred and specific types
// come first, a wildcard gets JSON, unknown types are skipped.
import { protobufType } from "../../../api/protobuf/envelope.ts";
import { notAcceptable } from "../errors.ts";

export interface Form {
  readonly media: "json" | "yaml" | "protobuf";
  readonly shape: "object" | "table" | "metadata";
  /** The version of meta.k8s.io for tables and metadata. */
  readonly version: "v1" | "v1beta1";
}

export const jsonForm: Form = { media: "json", shape: "object", version: "v1" };

export const mediaTypes: Readonly<Record<Form["media"], string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: protobufType,
};

/** The restrictions on the forms of an answer. */
export interface Answerable {
  /** Says that the object is a custom resource, which has no protobuf form; its metadata has. */
  readonly isCustom?: boolean;
  /** Says that the object, a review or Status, cannot be shown as a table or as metadata only. */
  readonly isPlain?: boolean;
}

/** The forms by Accept header: clients repeat themselves, so nearly every header is found here. */
const known = new Map<string, Form | undefined>();
const maximumKnown = 1000;

export function negotiate(accept: string | undefined, about: Answerable = {}): Form {
  const form = tryNegotiate(accept, about);
  if (form === undefined) {
    const { json, yaml, protobuf } = mediaTypes;
    throw notAcceptable(about.isCustom === true ? [json, yaml] : [json, yaml, protobuf]);
  }
  return form;
}

/** Negotiates a form; `undefined` when the client accepts none of the available ones. */
export function tryNegotiate(accept: string | undefined, about: Answerable): Form | undefined {
  if (accept === undefined || accept === "") return jsonForm;
  const id = `${about.isCustom === true} ${about.isPlain === true} ${accept}`;
  let form = known.get(id);
  if (form === undefined && !known.has(id)) {
    form = readAccept(accept, about);
    if (known.size >= maximumKnown) known.clear();
    known.set(id, form);
  }
  return form;
}

export interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parses the ranges of an Accept header, the preferred ones first. */
export function mediaRanges(accept: string): MediaRange[] {
  const ranges = accept.split(",").map((range) => {
    const [type = "", ...rest] = range.split(";").map((part) => part.trim());
    const parameters = new Map<string, string>();
    for (const parameter of rest) {
      const equals = parameter.indexOf("=");
      if (equals > 0) parameters.set(parameter.slice(0, equals), parameter.slice(equals + 1));
    }
    return { type: type.toLowerCase(), parameters };
  });
  return ranges.toSorted((a, b) => quality(b) - quality(a) || breadth(a) - breadth(b));
}

/** Ranks a range by its breadth: wildcards come after the types they contain. */
function breadth({ type }: MediaRange): number {
  return type.startsWith("*/") ? 2 : type.endsWith("/*") ? 1 : 0;
}

function quality({ parameters }: MediaRange): number {
  const text = parameters.get("q");
  return text === undefined ? 1 : Number(text) || 0;
}

const media: Readonly<Record<string, Form["media"]>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  [protobufType]: "protobuf",
  "application/*": "json",
  "*/*": "json",
  "*": "json",
};

const shapes: Readonly<Record<string, Form["shape"]>> = {
  Table: "table",
  PartialObjectMetadata: "metadata",
  PartialObjectMetadataList: "metadata",
};

function readAccept(accept: string, about: Answerable): Form | undefined {
  for (const range of mediaRanges(accept)) {
    const kind = Object.hasOwn(media, range.type) ? media[range.type] : undefined;
    const form = kind && readShape(kind, range.parameters);
    if (form !== undefined && isServed(form, about)) return form;
  }
  return undefined;
}

function isServed({ media: kind, shape }: Form, { isCustom, isPlain }: Answerable): boolean {
  if (shape !== "object" && isPlain === true) return false;
  return kind !== "protobuf" || (shape === "object" ? isCustom !== true : shape === "metadata");
}

function readShape(kind: Form["media"], parameters: ReadonlyMap<string, string>): Form | undefined {
  if (parameters.has("sv") || (parameters.get("stream") ?? "watch") !== "watch") return undefined;
  const as = parameters.get("as");
  if (as === undefined) return { media: kind, shape: "object", version: "v1" };
  const shape = Object.hasOwn(shapes, as) ? shapes[as] : undefined;
  const version = parameters.get("v");
  if (shape === undefined || parameters.get("g") !== "meta.k8s.io") return undefined;
  if (version !== "v1" && version !== "v1beta1") return undefined;
  return { media: kind, shape, version };
}
