// Compares our CEL with Kubernetes' own: every expression of the tests in the Go modules cel.dev/expr,
// k8s.io/apiserver and of our list is compiled and evaluated by genuine code and by ours. Values, errors and
// costs must be the same; of issues in the text only whether there are any.
//
//   make compat-cel

import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../src/api/cel/compile.ts";
import { estimate } from "../src/api/cel/cost/estimate.ts";
import { extend } from "../src/api/cel/environment.ts";
import { kubernetes } from "../src/api/cel/kubernetes.ts";
import { CidrValue, IpValue } from "../src/api/cel/library/net.ts";
import { QuantityValue } from "../src/api/cel/library/quantities.ts";
import { SemverValue } from "../src/api/cel/library/semver.ts";
import { doubleText } from "../src/api/cel/runtime/numbers.ts";
import { CostLimitExceeded } from "../src/api/cel/runtime/steps.ts";
import { timestampText } from "../src/api/cel/runtime/times.ts";
import {
  CelError,
  Duration,
  ListValue,
  MapValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from "../src/api/cel/runtime/value.ts";
import { CelIssues } from "../src/api/cel/syntax/source.ts";
import { dynType } from "../src/api/cel/types.ts";
import { fieldErrorText } from "../src/api/fields/field-error-text.ts";
import { compileRule } from "../src/api/schema/custom/rules/compile-rule.ts";
import { declaredType, largestRequest } from "../src/api/schema/custom/rules/declared-type.ts";
import { compileCustomSchema } from "../src/api/schema/from-openapi.ts";
import type { JSONSchemaProps } from "../src/api/types/apiextensions.ts";
import type { JsonObject } from "../src/base/json/value.ts";

const kubernetesVersion = "0.36.4";
const cache = new URL("../.cache/peers/", import.meta.url).pathname;
const work = join(cache, "src-cel");
const binary = join(cache, "cel");

interface Answer {
  readonly expression: string;
  readonly issues?: string;
  readonly value?: unknown;
  readonly error?: string;
  readonly cost?: string;
  readonly estimate?: string;
  readonly errors?: readonly string[];
  readonly rules?: readonly string[];
}

interface Question {
  readonly schema: JSONSchemaProps;
  readonly object: JsonObject;
  readonly old?: JsonObject;
}

const string = (more: object = {}): JSONSchemaProps => ({ type: "string", ...more });
const spec = (schema: JSONSchemaProps): JSONSchemaProps => ({
  type: "object",
  properties: { spec: schema },
});
const rules = (...all: string[]) => ({
  "x-kubernetes-validations": all.map((rule) => ({ rule })),
});
/** Schemas with rules, each with an object and mostly the stored one. */
const schemas: readonly Question[] = [
  {
    schema: spec({
      type: "object",
      required: ["size"],
      properties: { size: { type: "integer" }, name: string({ maxLength: 10 }) },
      ...rules("self.size > 1", "self.size >= oldSelf.size", "!has(self.name) || self.name != ''"),
    }),
    object: { spec: { size: 1, name: "a" } },
    old: { spec: { size: 2, name: "a" } },
  },
  {
    schema: spec({
      type: "array",
      maxItems: 5,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: string(), value: string({ enum: ["a", "bb"] }) },
        ...rules("self.value == oldSelf.value", "self.name.matches('^[a-z]+$')"),
      },
      ...rules("self.exists(x, x.name == 'a')", "self.map(x, x.name).isSorted()"),
    }),
    object: {
      spec: [
        { name: "b", value: "a" },
        { name: "C", value: "a" },
      ],
    },
    old: {
      spec: [
        { name: "b", value: "bb" },
        { name: "C", value: "a" },
      ],
    },
  },
  {
    schema: spec({
      type: "object",
      additionalProperties: {
        type: "array",
        items: { type: "number" },
        ...rules("self.sum() < 3.0"),
      },
      maxProperties: 3,
      ...rules("self.all(k, size(self[k]) > 0)", "size(self) < 2"),
    }),
    object: { spec: { a: [1, 2.5], b: [] } },
  },
  {
    schema: spec({
      type: "object",
      properties: {
        port: { "x-kubernetes-int-or-string": true },
        at: string({ format: "date-time" }),
        wait: string({ format: "duration" }),
        "a-b": string({ maxLength: 3 }),
        namespace: string(),
      },
      ...rules(
        "type(self.port) == int ? self.port < 10 : self.port.endsWith('%')",
        "self.at > timestamp('2020-01-01T00:00:00Z')",
        "self.wait < duration('1h')",
        "self.a__dash__b == 'x' && self.__namespace__ == 'n'",
      ),
    }),
    object: {
      spec: { port: "5", at: "2019-01-01T00:00:00Z", wait: "2h", "a-b": "y", namespace: "n" },
    },
  },
  {
    schema: {
      ...spec({ type: "object", properties: {} }),
      ...rules("self.metadata.name.startsWith('x')"),
    },
    object: { metadata: { name: "y" }, spec: {} },
  },
];

if (!process.argv.includes("--built")) build();
/** Messages of protocol buffers are not built: Kubernetes' objects are none. */
const isMessage = /\bgoogle\.protobuf\.\w+\s*\{|\bcel\.expr\./;
const expressions = [...new Set([...vectors(), ...libraryTests()])].filter(
  (expression) => !isMessage.test(expression),
);
const input = expressions.map((expression) => JSON.stringify({ expression })).join("\n");
const genuine = execFileSync(binary, { input, encoding: "utf8", maxBuffer: 1 << 30 })
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Answer);
const environment = extend(kubernetes, { self: dynType });
const counts = { same: 0, different: 0 };
for (const theirs of genuine) {
  const ours = evaluate(theirs.expression);
  const differences = differencesOf(theirs, ours);
  if (differences.length === 0) counts.same++;
  else {
    counts.different++;
    console.error(`${theirs.expression}\n${differences.map((each) => `  ${each}`).join("\n")}`);
  }
}
for (const question of schemas) compareRules(question);
console.log(
  `${genuine.length} expressions, ${schemas.length} schemas: ${counts.same} the same, ${counts.different} different`,
);
process.exit(counts.different === 0 && counts.same > 0 ? 0 : 1);

function evaluate(expression: string): Answer {
  try {
    const program = compile(environment, expression);
    const { min, max } = estimate(program.checked);
    const found = { expression, estimate: `${min}-${max}` };
    const { value, cost } = program.evaluate({ variables: () => null, limit: 1_000_000 });
    return value instanceof CelError
      ? { ...found, error: value.message, cost: String(cost) }
      : { ...found, value: shown(value), cost: String(cost) };
  } catch (error) {
    if (error instanceof CelIssues) return { expression, issues: error.message };
    if (error instanceof CostLimitExceeded) return { expression, error: error.message };
    return { expression, error: `crash ${String(error)}` };
  }
}

function differencesOf(theirs: Answer, ours: Answer): string[] {
  if (theirs.error?.startsWith("panic") || theirs.issues?.startsWith("program:")) return [];
  const found: string[] = [];
  const pair = (name: string, a: unknown, b: unknown) =>
    found.push(`${name}: genuine ${JSON.stringify(a)}, ours ${JSON.stringify(b)}`);
  if ((theirs.issues === undefined) !== (ours.issues === undefined)) {
    pair("issues", theirs.issues, ours.issues ?? ours.value ?? ours.error);
    return found;
  }
  if (theirs.issues !== undefined) return found;
  if ((theirs.error === undefined) !== (ours.error === undefined)) {
    pair("result", theirs.error ?? theirs.value, ours.error ?? ours.value);
    return found;
  }
  if (!sameEstimate(theirs.estimate ?? "", ours.estimate ?? "")) {
    pair("estimate", theirs.estimate, ours.estimate);
  }
  if (theirs.error !== undefined) return found;
  if (JSON.stringify(theirs.value) !== JSON.stringify(ours.value)) {
    pair("value", theirs.value, ours.value);
  }
  if (theirs.cost !== ours.cost) pair("cost", theirs.cost, ours.cost);
  return found;
}

/** Whether two ranges are the same; what is beyond all limits needs not be exact. */
function sameEstimate(theirs: string, ours: string): boolean {
  const [a, b] = [theirs, ours].map((text) =>
    text.split("-").map((number) => Math.min(Number(number), 1e15)),
  );
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Compares what the rules of a schema may cost, and what they say of an object. */
function compareRules(question: Question): void {
  const answer = execFileSync(binary, { input: JSON.stringify(question), encoding: "utf8" });
  const { errors = [], rules: described = [] } = JSON.parse(answer) as Answer;
  const theirs = { rules: described.map(withoutHuge), errors: errors.toSorted() };
  const found = compileCustomSchema(question.schema)
    .validateRules(question.object, question.old, {})
    .map((error) =>
      fieldErrorText({ ...error, field: error.field === "" ? "root" : `root.${error.field}` }),
    );
  const ours = { rules: ruleTexts(question.schema, "", true), errors: found.toSorted() };
  if (JSON.stringify(theirs) === JSON.stringify(ours)) {
    counts.same++;
    return;
  }
  counts.different++;
  const show = (value: unknown) => JSON.stringify(value, undefined, 1);
  console.error(`rules: genuine ${show(theirs)}\n  ours ${show(ours)}`);
}

function ruleTexts(schema: JSONSchemaProps, path: string, isRoot: boolean): string[] {
  const declared = declaredType(schema, isRoot);
  if (declared === undefined) return [];
  const own = (schema["x-kubernetes-validations"] ?? []).map((rule) => {
    const { maxCost, usesOldSelf, error } = compileRule(rule, declared.type);
    const cardinality = Math.floor(largestRequest / (declared.minSize + 1));
    if (error !== undefined) return `${path} error ${error}`;
    const cost = Math.min(maxCost, 1e15);
    return `${path} cost ${cost} cardinality ${cardinality} old ${usesOldSelf}`;
  });
  const { items, additionalProperties, properties = {} } = schema;
  const inner = (each: unknown, at: string) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? ruleTexts(each, at, false)
      : [];
  return [
    ...own,
    ...inner(items, `${path}[]`),
    ...inner(additionalProperties, `${path}{}`),
    ...Object.keys(properties)
      .toSorted()
      .flatMap((name) => inner(properties[name], `${path}.${name}`)),
  ];
}

function withoutHuge(text: string): string {
  return text.replace(/cost (\d+)/, (_, cost: string) => `cost ${Math.min(Number(cost), 1e15)}`);
}

function shown(value: Value): unknown {
  if (value === null) return "null";
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint") return `int ${value}`;
  if (value instanceof Uint) return `uint ${value.value}`;
  if (typeof value === "number") return `double ${doubleText(value)}`;
  if (typeof value === "string") return `string ${value}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (value instanceof Timestamp) {
    const seconds = BigInt(Math.floor(Date.parse(timestampText(value)) / 1000));
    const nanos = ((value.nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    return `timestamp ${seconds}.${String(nanos).padStart(9, "0")}`;
  }
  if (value instanceof Duration) return `duration ${value.nanos}`;
  if (value instanceof TypeValue) return `type ${value.name}`;
  if (value instanceof OptionalValue) {
    return value.value === undefined ? "optional none" : { optional: shown(value.value) };
  }
  if (value instanceof ListValue) return [...value].map(shown);
  if (value instanceof MapValue) {
    const entries = [...value.keys()].map((key) =>
      JSON.stringify([shown(key), shown(value.find(key) as Value)]),
    );
    return { map: entries.toSorted() };
  }
  if (value instanceof IpValue) return `ip ${value.address.toString()}`;
  if (value instanceof CidrValue) return `cidr ${value.text}`;
  if (value instanceof QuantityValue) return `quantity ${value.nanos}`;
  if (value instanceof SemverValue) return `semver ${value.text}`;
  return typeNameOf(value);
}

function build(): void {
  mkdirSync(work, { recursive: true });
  cpSync(new URL("../test/genuine/cel/main.go", import.meta.url).pathname, join(work, "main.go"));
  const go = (...words: string[]) =>
    execFileSync("go", words, {
      cwd: work,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, CGO_ENABLED: "0" },
    });
  writeFileSync(join(work, "go.mod"), "module cel\n");
  const parts = ["api", "apimachinery", "apiserver", "apiextensions-apiserver", "client-go"];
  go("get", ...parts.map((part) => `k8s.io/${part}@v${kubernetesVersion}`));
  go("mod", "tidy");
  go("build", "-o", binary, ".");
}

function moduleFolder(name: string): string {
  const answer = execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", name], {
    cwd: work,
    encoding: "utf8",
  });
  return answer.trim();
}

/** The expressions of CEL's own tests that need no variables. */
function vectors(): string[] {
  const folder = join(moduleFolder("cel.dev/expr"), "tests", "simple", "testdata");
  const lines = execFileSync(binary, ["vectors", folder], { encoding: "utf8", maxBuffer: 1 << 28 });
  return lines
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as Answer).expression);
}

/** The expressions in the tests of Kubernetes' libraries. */
function libraryTests(): string[] {
  const folder = join(moduleFolder("k8s.io/apiserver"), "pkg", "cel", "library");
  const literal = /\bexpr:\s*(?:`([^`]*)`|"((?:\\.|[^"\\])*)")/g;
  return globSync(join(folder, "*_test.go")).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(literal)].map(
      ([, raw, quoted]) => raw ?? (JSON.parse(`"${quoted}"`) as string),
    ),
  );
}
