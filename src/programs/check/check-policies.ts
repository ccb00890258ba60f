// Wires `tandem check --policies`.

import type { Invocation } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { families } from "../../base/net/family.ts";
import { UsageError } from "../../base/program/errors.ts";
import { createProgress } from "../../base/program/progress.ts";
import {
  cellsOf,
  chooseNodes,
  deployWitnesses,
  type PolicyReport,
  planWitnesses,
  policyReportOf,
  portsOf,
  removeWitnesses,
  tryCells,
  type WitnessDeployment,
} from "../../inspect/check/check.ts";
import { loadState, readNetworkPolicy } from "../../node/policy/policy.ts";
import { openConnection } from "../connect/connect.ts";
import type { CheckOptions } from "./options.ts";
import { cleanedUp, spareName } from "./spare.ts";

/** Checks the policies of one namespace with real packets against what they say. */
export async function checkPolicies(
  options: CheckOptions & { readonly policies: string },
  { env, stderr, signal }: Pick<Invocation, "env" | "stderr" | "signal">,
): Promise<PolicyReport> {
  const { client, access } = await openConnection(options, { component: "tandem-check", env });
  try {
    const { policies: namespace, image, hostPort } = options;
    const { items } = await client
      .resource("networking.k8s.io/v1", "NetworkPolicy")
      .listAll({ namespace, signal });
    if (items.length === 0) {
      throw new UsageError(`Cannot check policies=${namespace}: it has none`);
    }
    const policies = items.map((one) => readNetworkPolicy(one));
    const plan = planWitnesses(policies, { namespace, spare: spareName(options) });
    const [spare = ""] = plan.namespaces.keys();
    const nodes = chooseNodes(
      (await client.resource("v1", "Node").listAll({ signal })).items,
      options.nodes,
    ).map(({ metadata }) => metadata.name);
    const deployment: WitnessDeployment = {
      client,
      clock: systemClock,
      namespace: spare,
      checked: namespace,
      nodes,
      image,
      hostPort,
      timeoutMs: options.timeout,
      signal,
    };
    const progress = createProgress(stderr);
    const work = async (): Promise<PolicyReport> => {
      const count = `${plan.witnesses.length} pods on ${nodes.join(", ")}`;
      await progress.step(count, () => deployWitnesses(deployment, plan));
      const cells = cellsOf(await loadState(client, { signal }), {
        namespace,
        witnesses: plan.witnesses,
        ports: portsOf(policies, plan),
        families: options.family ?? families,
      });
      const asking = { access, clock: systemClock, progress, signal };
      const results = await tryCells(cells, { ...asking, timeoutMs: options.answerTimeout });
      return policyReportOf(results, {
        namespace,
        policies: policies.map(({ name }) => name),
        untried: plan.untried,
      });
    };
    return await cleanedUp(work, async () => {
      if (options.keep) return;
      await progress.step("removing the pods", () => removeWitnesses(deployment, plan));
    });
  } finally {
    client.transport.close();
  }
}
