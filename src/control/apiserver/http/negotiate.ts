// Which form of an answer the client asked for in its Accept header.
import { notAcceptable } from "../errors.ts";

export interface Form {
  readonly media: "json" | "yaml";
  readonly shape: "object" | "table" | "metadata";
  /** The version of meta.k8s.io for tables and metadata. */
  readonly version: "v1" | "v1beta1";
}

export const jsonForm: Form = { media: "json", shape: "object", version: "v1" };

const supported = [
  "application/json",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
] as const;

/** Clients repeat themselves, so nearly every header is found here. */
const known = new Map<string, Form | undefined>();
const maximumKnown = 1000;

export function negotiate(accept: string | undefined): Form {
  if (accept === undefined || accept === "") return jsonForm;
  let form = known.get(accept);
  if (form === undefined && !known.has(accept)) {
    form = readAccept(accept);
    if (known.size >= maximumKnown) known.clear();
    known.set(accept, form);
  }
  if (form === undefined) throw notAcceptable(supported);
  return form;
}

export interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The ranges of an Accept header, the preferred ones first. */
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
  return ranges.filter((range) => quality(range) > 0).toSorted((a, b) => quality(b) - quality(a));
}

function quality({ parameters }: MediaRange): number {
  const text = parameters.get("q");
  return text === undefined ? 1 : Number(text) || 0;
}

const media: Readonly<Record<string, Form["media"]>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/*": "json",
  "*/*": "json",
};

const shapes: Readonly<Record<string, Form["shape"]>> = {
  Table: "table",
  PartialObjectMetadata: "metadata",
  PartialObjectMetadataList: "metadata",
};

function readAccept(accept: string): Form | undefined {
  for (const range of mediaRanges(accept)) {
    const kind = Object.hasOwn(media, range.type) ? media[range.type] : undefined;
    if (kind === undefined) continue;
    const form = readShape(kind, range.parameters);
    if (form !== undefined) return form;
  }
  return undefined;
}

function readShape(kind: Form["media"], parameters: ReadonlyMap<string, string>): Form | undefined {
  const as = parameters.get("as");
  if (as === undefined) return { media: kind, shape: "object", version: "v1" };
  const shape = Object.hasOwn(shapes, as) ? shapes[as] : undefined;
  const version = parameters.get("v");
  if (shape === undefined || parameters.get("g") !== "meta.k8s.io") return undefined;
  if (version !== "v1" && version !== "v1beta1") return undefined;
  return { media: kind, shape, version };
}
