import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import fc from "fast-check";
import { isParseError, type ParseReason } from "../../base/json/error.ts";
import { decodeProtobuf } from "./envelope.ts";

const magic = [0x6b, 0x38, 0x73, 0];

/** A body of the given kind that contains these bytes. */
function body(apiVersion: string, kind: string, raw: readonly number[]): Uint8Array {
  const typeMeta = [...field(1, Buffer.from(apiVersion)), ...field(2, Buffer.from(kind))];
  return Uint8Array.from([...magic, ...field(1, typeMeta), ...field(2, raw)]);
}

function field(number: number, content: Iterable<number>): number[] {
  const bytes = [...content];
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) return [(number << 3) | 2, ...length, ...bytes];
  }
}

const config = (...raw: number[]) => body("v1", "ConfigMap", raw);
const ascii = (text: string) => Buffer.from(text);

/** The bytes of a schema nested this many levels deep. */
function nested(levels: number): number[] {
  let inner: number[] = [];
  for (let level = 0; level < levels; level++) inner = [0xe2, 1, ...field(0, inner).slice(1)];
  return field(2, field(7, field(4, field(1, inner))));
}

const refusals: [string, Uint8Array, ParseReason, RegExp][] = [
  ["nothing", Uint8Array.of(), "InvalidSyntax", /does not begin with/],
  ["JSON", ascii('{"kind":"Pod"}'), "InvalidSyntax", /does not begin with/],
  ["no kind", Uint8Array.from(magic), "InvalidSyntax", /no kind "" in ""/],
  ["an unknown kind", body("v1", "Thing", []), "InvalidSyntax", /no kind "Thing" in "v1"/],
  ["an unknown version", body("a/b/c", "Pod", []), "InvalidSyntax", /no kind "Pod" in "a\/b\/c"/],
  [
    "a compressed body",
    Uint8Array.from([...body("v1", "Pod", []), ...field(3, ascii("gzip"))]),
    "InvalidSyntax",
    /gzip/,
  ],
  [
    "a length beyond the end",
    config(0x0a, 0x7f),
    "InvalidSyntax",
    /metadata: 127 bytes announced, 0 are left/,
  ],
  [
    "a huge length",
    config(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
    "InvalidSyntax",
    /announced/,
  ],
  [
    "an endless integer",
    config(0x20, 0xff),
    "InvalidSyntax",
    /immutable: an integer without an end/,
  ],
  [
    "an overlong integer",
    config(0x20, ...Array<number>(11).fill(0xff)),
    "InvalidSyntax",
    /immutable: an integer of more than ten bytes/,
  ],
  ["field number zero", config(0x02, 0), "InvalidSyntax", /field number out of range/],
  ["a wrong wire type", config(0x08, 1), "InvalidSyntax", /metadata: wire type 0 where 2 belongs/],
  ["a group", config(0x7b), "InvalidSyntax", /wire type 3/],
  [
    "broken text",
    config(...field(1, field(1, [0xff]))),
    "InvalidEncoding",
    /metadata.name: the text is not UTF-8/,
  ],
  [
    "half a surrogate",
    config(...field(1, field(1, [0xed, 0xa0, 0x80]))),
    "InvalidEncoding",
    /metadata.name/,
  ],
  [
    "a reserved key",
    config(...field(2, [...field(1, ascii("__proto__")), ...field(2, [])])),
    "ForbiddenKey",
    /data/,
  ],
  [
    "a year beyond 9999",
    config(...field(1, field(8, [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]))),
    "InvalidNumber",
    /metadata.creationTimestamp/,
  ],
  [
    "deep nesting",
    body("apiextensions.k8s.io/v1", "CustomResourceDefinition", nested(2000)),
    "TooDeep",
    /more than 512 levels/,
  ],
  [
    "raw data that is no JSON",
    body("apps/v1", "ControllerRevision", field(2, field(1, ascii("{")))),
    "InvalidSyntax",
    /data/,
  ],
];

for (const [name, bytes, reason, message] of refusals) {
  test(`[API-4] protobuf is refused for ${name}: ${reason}`, () => {
    assert.throws(
      () => decodeProtobuf(bytes),
      (error) => {
        assert.ok(isParseError(error), String(error));
        assert.equal(error.reason, reason, error.message);
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test("unknown fields are passed over, and parts of a message are merged", () => {
  const raw = [
    ...field(15, ascii("from the future")),
    0x78,
    0x96,
    0x01,
    ...field(1, field(1, ascii("a"))),
    ...field(1, field(3, ascii("b"))),
    ...field(2, [...field(1, ascii("k")), ...field(2, ascii("v"))]),
    ...field(2, field(1, ascii("bare"))),
  ];
  assert.deepEqual(decodeProtobuf(config(...raw)), {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "b" },
    data: { k: "v", bare: "" },
  });
});

test("lists of integers may be packed", () => {
  const pod = body("v1", "Pod", field(2, [...field(14, field(4, [1, 2, 0xff, 1]))]));
  const { spec } = decodeProtobuf(pod);
  assert.deepEqual(spec, { securityContext: { supplementalGroups: [1, 2, 255] } });
});

test("[API-4] broken genuine bodies are refused or read, nothing else", () => {
  const text = readFileSync(new URL("testdata/written.jsonl", import.meta.url), "utf8");
  const bodies = text
    .trim()
    .split("\n")
    .map((line) => Buffer.from((JSON.parse(line) as { base64: string }).base64, "base64"));
  for (const whole of bodies) {
    for (let length = 0; length < whole.length; length += 3) judge(whole.subarray(0, length));
  }
  const change = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(
      fc.constantFrom(...bodies),
      fc.array(change, { minLength: 1, maxLength: 5 }),
      (whole, changes) => {
        const broken = Uint8Array.from(whole);
        for (const [at, byte] of changes) broken[4 + (at % (broken.length - 4))] = byte;
        judge(broken);
      },
    ),
    { numRuns: 3000 },
  );
});

function judge(bytes: Uint8Array): void {
  try {
    decodeProtobuf(bytes);
  } catch (error) {
    if (!isParseError(error)) throw error;
  }
}
