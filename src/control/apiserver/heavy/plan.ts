// Decides where a write is planned: small ones in the server's thread, heavy ones in another, since the
// server answers nobody else while its thread is busy.
import { HeavyEvaluation } from "../../../api/cel/values.ts";
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { definitions } from "../crds/deletion.ts";
import { withConversions } from "../crds/version-conversion.ts";
import { maximumBody, readBody } from "../http/body.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import type { ServedResource } from "../resources/served.ts";
import { mediaType } from "../write/decode.ts";
import type { Plan } from "../write/mutate.ts";
import { plannerOf, type Writing } from "../write/planners.ts";
import type { Planner } from "../write/planning.ts";
import type { Definition, WriteJob } from "./job.ts";
import { type HeavyWork, longestWaitMs, tooManyLarge } from "./port.ts";

/** The sizes up to which planning takes a few milliseconds at worst; YAML takes far longer to parse than JSON. */
const lightBytes = 32 * 1024;
/** The number of fields and elements up to which that holds: one takes about 3 µs, whatever its size. */
const lightParts = 1000;
const lightYaml = 4 * 1024;
/** The size of protobuf: a field of it takes two bytes or more. */
const lightProtobuf = 8 * 1024;
/** The size of a patch, whose operations can make a large object out of a small one. */
const lightPatch = 4 * 1024;

export interface Planned {
  create(): Promise<Extract<Plan, { type: "put" }> & { name: string }>;
  change(old: Item | undefined): Promise<Plan>;
}

/** Reads the body; a heavy one only when the user may add a job. */
export async function readWriting(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<Writing> {
  const announced = Number(exchange.request.headers["content-length"] ?? 0);
  if (isHeavyBody(exchange, announced)) core.heavy?.checkRoom(exchange.user.name);
  const body = await readBody(exchange.request, maximumBody);
  exchange.audit?.requested(body);
  return { resource, body };
}

export function planned(core: Core, exchange: ResourceExchange, writing: Writing): Planned {
  let light: Planner | undefined;
  const since = core.clock.monotonic();
  const plan = async (old: Item | undefined): Promise<{ plan: Plan; name: string }> => {
    const { heavy } = core;
    if (heavy !== undefined && isHeavy(exchange, writing, old)) {
      // Other writers of the same object may have delayed this one for too long.
      if (core.clock.monotonic() - since > longestWaitMs) throw tooManyLarge();
      return await planElsewhere(heavy, { core, exchange, writing, old });
    }
    await core.turns.pass(exchange.user.name);
    const made = await withConversions(core.webhooks.post, async () => {
      light ??= plannerOf(core, exchange, writing);
      return await planHere(light, old);
    });
    if (made === undefined && heavy !== undefined) {
      return await planElsewhere(heavy, { core, exchange, writing, old });
    }
    if (made === undefined) throw new Error("Cannot plan a write: there are no threads");
    return { plan: made, name: "object" in made ? (made.object.metadata?.name ?? "") : "" };
  };
  return {
    change: async (old) => (await plan(old)).plan,
    async create() {
      const made = await plan(undefined);
      if (made.plan.type !== "put") throw new Error("Cannot create an object: there is none");
      return { ...made.plan, name: made.name };
    },
  };
}

/** Plans in this thread; `undefined` when an expression of a rule or policy costs too much for it. */
async function planHere(planner: Planner, old: Item | undefined): Promise<Plan | undefined> {
  try {
    return await planner(old);
  } catch (error) {
    if (error instanceof HeavyEvaluation) return undefined;
    throw error;
  }
}

function isHeavy(exchange: ResourceExchange, { body }: Writing, old: Item | undefined): boolean {
  return isHeavyBody(exchange, body.length) || hasManyParts(body) || isLarge(old);
}

function isLarge(item: Item | undefined): boolean {
  return item !== undefined && (item.bytes.length > lightBytes || hasManyParts(item.bytes));
}

/** Whether a JSON text may have many fields or elements: commas are counted, those in strings as well. */
function hasManyParts(json: Buffer): boolean {
  // Each part takes at least two bytes, the comma among them.
  if (json.length < 2 * lightParts) return false;
  let count = 0;
  for (let at = json.indexOf(comma); at !== -1; at = json.indexOf(comma, at + 1)) {
    if (++count > lightParts) return true;
  }
  return false;
}

const comma = 0x2c;

/** Whether a body of this length is heavy whatever it holds, which is known before it has been read. */
function isHeavyBody(exchange: ResourceExchange, length: number): boolean {
  const type = mediaType(exchange);
  if (type.includes("yaml")) return length > lightYaml;
  if (type.includes("protobuf")) return length > lightProtobuf;
  return length > (type.includes("json-patch") ? lightPatch : lightBytes);
}

interface Elsewhere {
  readonly core: Core;
  readonly exchange: ResourceExchange;
  readonly writing: Writing;
  readonly old: Item | undefined;
}

async function planElsewhere(
  heavy: HeavyWork,
  { core, exchange, writing, old }: Elsewhere,
): Promise<{ plan: Plan; name: string }> {
  const { request, user, warnings } = exchange;
  const job: WriteJob = {
    type: "write",
    method: request.method ?? "GET",
    url: request.url ?? "/",
    headers: {
      "content-type": request.headers["content-type"],
      "user-agent": request.headers["user-agent"],
    },
    user,
    body: writing.body,
    old: old && { bytes: old.bytes, modified: old.modified },
    definition: definitionOf(core, writing.resource),
  };
  warnings.length = 0;
  const written = await heavy.write(job, warnings);
  warnings.push(...written.warnings);
  Object.assign(exchange.annotations ?? {}, written.annotations);
  const { name, value, isSame, isGenerated, selectable } = written;
  if (value === undefined)
    return { plan: { type: written.type === "delete" ? "delete" : "keep" }, name };
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return { plan: { type: "put", value: bytes, isSame, isGenerated, selectable }, name };
}

function definitionOf(core: Core, resource: ServedResource): Definition | undefined {
  if (resource.custom === undefined) return undefined;
  const name = `${resource.plural}.${resource.group}`;
  const item = core.cache.collection(definitions).get("", name);
  return item && { id: `${name} ${item.modified}`, bytes: item.bytes };
}
