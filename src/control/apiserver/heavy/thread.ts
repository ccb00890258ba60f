// A thread for heavy work: one job at a time, each from its message alone.
import { parentPort, workerData } from "node:worker_threads";
import { stringify } from "yaml";
import { encodeItem, encodeProtobuf } from "../../../api/protobuf/envelope.ts";
import type { CustomResourceDefinition } from "../../../api/types/apiextensions.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { serveDefinition } from "../crds/serve.ts";
import { withConversions } from "../crds/version-conversion.ts";
import { toStatusError } from "../errors.ts";
import { builtinResources } from "../resources/builtin.ts";
import { Catalogue } from "../resources/catalogue.ts";
import type { ServedResource } from "../resources/served.ts";
import { openGuard } from "../security/open-guard.ts";
import type { PlanningCore } from "../write/planning.ts";
import { openErrands } from "./errands.ts";
import type {
  Definition,
  Job,
  JobResult,
  RenderJob,
  ThreadData,
  ThreadMessage,
  ThreadOrder,
} from "./job.ts";
import { remoteObjects } from "./remote-objects.ts";
import { workOut } from "./work-out.ts";

const { settings, guard, answered, questions } = workerData as ThreadData;
const errands = openErrands((message) => parentPort?.postMessage(message, []));
const builtin = builtinResources();
const catalogue = new Catalogue(builtin);
const now = () => new Date();
const core: PlanningCore = {
  settings: { ...settings, now },
  catalogue,
  access: await openGuard(remoteObjects(questions, answered), { ...guard, webhooks: errands.port }),
};
const customs = new Map<string, readonly ServedResource[]>();

parentPort?.on("message", (order: ThreadOrder) => {
  if ("done" in order) errands.finish(order.done);
  else void errands.during(order.job, () => answer(order.job, order.work));
});
parentPort?.postMessage({ ready: true } satisfies ThreadMessage, []);

async function answer(job: number, work: Job): Promise<void> {
  const result = await perform(work);
  const bytes = "written" in result ? result.written.value : undefined;
  const whole = "rendered" in result ? result.rendered : bytes;
  const message: ThreadMessage = { job, result };
  parentPort?.postMessage(message, whole === undefined ? [] : [whole.buffer]);
}

async function perform(job: Job): Promise<JobResult> {
  const warnings: string[] = [];
  try {
    if (job.type === "render") return { rendered: render(job.json, job.form) };
    if (job.definition !== undefined) serve(job.definition);
    const work = () => workOut(core, job, warnings);
    return { written: await withConversions(errands.port.post, work) };
  } catch (error) {
    // A RangeError means that a value with too many parts or levels has overflowed the stack.
    if (error instanceof RangeError) return tooLarge(warnings);
    const { reason, message, details, code, isFinal } = toStatusError(error);
    if (reason !== "InternalError" || isFinal) {
      return { refused: { reason, message, details, code, isFinal }, warnings };
    }
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function tooLarge(warnings: readonly string[]): JobResult {
  const message = "Request entity too large: it has too many parts";
  const how = { details: undefined, code: 413, isFinal: false };
  return { refused: { reason: "RequestEntityTooLarge", message, ...how }, warnings };
}

/** Serves a custom resource by the definition that came last. */
function serve({ id, bytes }: Definition): void {
  if (customs.has(id)) return;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const name = id.slice(0, id.indexOf(" "));
  for (const known of customs.keys()) if (known.startsWith(`${name} `)) customs.delete(known);
  customs.set(id, serveDefinition(readJson(text) as CustomResourceDefinition));
  catalogue.replace([...builtin, ...[...customs.values()].flat()]);
}

function render(json: Uint8Array, form: RenderJob["form"]): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString();
  const value = readJson(text);
  switch (form) {
    case "yaml":
      return new TextEncoder().encode(stringify(value));
    case "pretty":
      return new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`);
    case "protobuf":
      return new Uint8Array(encodeProtobuf(value as JsonObject, { drop: true }));
    case "protobuf item":
      return new Uint8Array(encodeItem(value as JsonObject));
  }
}
