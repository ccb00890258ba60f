// Wires `tandem check`.

import type { Invocation } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Family } from "../../base/net/family.ts";
import { UsageError } from "../../base/program/errors.ts";
import { createProgress, type Progress } from "../../base/program/progress.ts";
import type { PodStand, Stage, Stand } from "../../inspect/check/check.ts";
import {
  askAll,
  chooseNodes,
  type Deployment,
  deployFronts,
  deployPods,
  deployServices,
  explainDenied,
  familiesOf,
  makeNamespace,
  planWays,
  questionsOf,
  type Report,
  removeNamespace,
  reportOf,
  untilNamed,
} from "../../inspect/check/check.ts";
import { type Connection, openConnection } from "../connect/connect.ts";
import type { CheckOptions, CheckSettings } from "./options.ts";
import { cleanedUp, spareName } from "./spare.ts";

export { checkPolicies } from "./check-policies.ts";

export { usualCheck } from "./options.ts";

export async function runCheck(
  options: CheckOptions,
  { env, stderr, signal }: Pick<Invocation, "env" | "stderr" | "signal">,
): Promise<Report> {
  const connection = await openConnection(options, { component: "tandem-check", env });
  try {
    return await checkAs(connection, options, { progress: createProgress(stderr), signal });
  } finally {
    connection.client.transport.close();
  }
}

/** Checks with the rights of a connection. */
export async function checkAs(
  { client, access }: Connection,
  options: CheckSettings,
  { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<Report> {
  const namespace = spareName(options);
  const deployment: Deployment = {
    client,
    clock: systemClock,
    namespace,
    image: options.image,
    hostPort: options.hostPort,
    timeoutMs: options.timeout,
    signal,
  };
  return await within(deployment, { progress, keep: options.keep }, async () => {
    const stage = await setUp(deployment, { options, progress });
    const questions = questionsOf(planWays(stage), stage.families);
    const parts = { access, namespace, clock: systemClock, progress, signal };
    const answers = await askAll(questions, { ...parts, timeoutMs: options.answerTimeout });
    const results = await explainDenied(answers, questions, { client, namespace, signal });
    const nodes = stage.stands.map(({ node }) => node.metadata.name);
    return reportOf(results, {
      families: stage.families,
      nodes,
      namespace,
      isKept: options.keep,
    });
  });
}

/** Runs `work` in the check's namespace, which is removed however the work ends. */
async function within<T>(
  deployment: Deployment,
  { progress, keep }: { readonly progress: Progress; readonly keep: boolean },
  work: () => Promise<T>,
): Promise<T> {
  await makeNamespace(deployment);
  return await cleanedUp(work, async () => {
    if (keep) return;
    const step = `removing namespace ${deployment.namespace}`;
    await progress.step(step, () => removeNamespace(deployment));
  });
}

async function setUp(
  deployment: Deployment,
  { options, progress }: { readonly options: CheckSettings; readonly progress: Progress },
): Promise<Stage> {
  const { client, namespace, hostPort, signal } = deployment;
  const { items } = await client.resource("v1", "Node").listAll({ signal });
  const nodes = chooseNodes(items, options.nodes);
  const names = nodes.map(({ metadata }) => metadata.name).join(", ");
  const pods = await progress.step(`pods in namespace ${namespace} on ${names}`, () =>
    deployPods(deployment, nodes),
  );
  const families = checkedFamilies(pods, options.family);
  const externalPort = 20_000 + Math.floor(systemRandom.fraction() * 40_000);
  const stands = await progress.step("services", () =>
    Promise.all(
      pods.map(async (stand, index): Promise<Stand> => {
        const wanted = { server: stand.server, externalPort: externalPort + index };
        return { ...stand, services: await deployServices(deployment, wanted) };
      }),
    ),
  );
  await progress.step("names", () => untilNamed(deployment));
  const { loadBalancer, ingressClass, outside, fromHere: isFromHere } = options;
  const [first] = stands;
  const fronts =
    first === undefined || (!loadBalancer && ingressClass === undefined)
      ? {}
      : await progress.step("addresses to enter by", () =>
          deployFronts(deployment, { server: first.server, loadBalancer, ingressClass }),
        );
  return { namespace, stands, families, hostPort, outside, fronts, isFromHere };
}

/** Families the user asks for must all be available: a check that skips one would report too much. */
function checkedFamilies(
  stands: readonly PodStand[],
  wanted: readonly Family[] | undefined,
): readonly Family[] {
  const present = familiesOf(stands);
  const missing = wanted?.find((family) => !present.includes(family));
  if (missing === undefined) return wanted ?? present;
  throw new UsageError(`Cannot check family=${missing}: pods have ${present.join(" and ")} only`);
}
