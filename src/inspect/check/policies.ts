// Marks those cells of the grid as denied that failed because of a policy.

import type { Client } from "../../api/client/client.ts";
import type { CallOptions } from "../../base/host/command.ts";
import type { Family } from "../../base/net/family.ts";
import type { PodFacts, PolicyState } from "../../node/policy/policy.ts";
import { explain, readableState } from "../../node/policy/policy.ts";
import { echoPort } from "./objects.ts";
import type { Question, Result } from "./results.ts";

interface Options extends CallOptions {
  readonly client: Client;
  readonly namespace: string;
}

/**
 * Returns the same results, naming the policy where one explains the failure. Results are in the order of
 * questions.
 */
export async function explainDenied(
  results: readonly Result[],
  questions: readonly Question[],
  { client, namespace, signal }: Options,
): Promise<readonly Result[]> {
  if (!results.some(({ verdict }) => verdict === "failed")) return results;
  const state = await readableState(client, { signal });
  if (state === undefined) return results;
  return results.map((result, index) => {
    const denial = denialOf(result, { state, namespace, question: questions[index] });
    if (denial === undefined) return result;
    return { ...result, detail: `${result.detail ?? "no answer"}; denied by ${denial}` };
  });
}

function denialOf(
  { verdict, from, family, protocol, target }: Result,
  around: {
    readonly state: PolicyState;
    readonly namespace: string;
    readonly question: Question | undefined;
  },
): string | undefined {
  const { state, namespace, question } = around;
  if (verdict !== "failed" || from.kind !== "pod" || target === undefined) return undefined;
  const source = addressOf(state.pod(`${namespace}/${from.pod}`), family);
  // A target behind a service is judged as the pod that the service leads to.
  const direct = state.holderOf(target.host);
  const behind = state.pod(`${namespace}/${question?.target?.answeredBy ?? ""}`);
  const destination = direct === undefined ? addressOf(behind, family) : target.host;
  if (source === undefined || destination === undefined) return undefined;
  const answers = explain(state, {
    source,
    destination,
    protocol: protocol === "udp" ? "udp" : "tcp",
    port: direct === undefined ? echoPort : target.port,
  });
  return answers.find(({ isAllowed, isAudited }) => !isAllowed && !isAudited)?.by;
}

function addressOf(pod: PodFacts | undefined, family: Family): string | undefined {
  return pod?.addresses.find((one) => one.family === family)?.text;
}
