// Turns ways into questions, and answers into results.

import { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import type { RemoteOutput } from "./exec.ts";
import type { Sender, Way, WayKind } from "./plan.ts";
import { type Protocol, protocols, type Target } from "./targets.ts";

export interface Question {
  readonly way: Way;
  readonly family: Family;
  readonly protocol: Protocol;
  /** The target; if there is none, nothing is asked. */
  readonly target: Target | undefined;
}

export interface Result {
  readonly kind: WayKind;
  readonly from: Sender;
  readonly to: string;
  readonly family: Family;
  readonly protocol: Protocol;
  readonly verdict: "passed" | "failed" | "skipped";
  readonly target?: { readonly host: string; readonly port: number };
  /** The reason of a failure, or why nothing was asked. */
  readonly detail?: string;
  /** The sender's address as the receiver saw it. */
  readonly seenAs?: string;
  readonly answeredBy?: string;
}

export interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly families: readonly Family[];
  readonly nodes: readonly string[];
  readonly namespace: string;
  /** Whether the namespace is kept. */
  readonly isKept: boolean;
  readonly results: readonly Result[];
}

export function questionsOf(
  ways: readonly Way[],
  families: readonly Family[],
): readonly Question[] {
  return ways.flatMap((way) =>
    families.flatMap((family) =>
      (way.protocols ?? protocols).map((protocol) => {
        return { way, family, protocol, target: way.reach(family) };
      }),
    ),
  );
}

/** Returns the arguments for `tandem-echo`. */
export function wordsOf(
  target: Target,
  { protocol, timeoutMs }: { readonly protocol: Protocol; readonly timeoutMs: number },
): readonly string[] {
  const host = target.host.includes(":") ? `[${target.host}]` : target.host;
  const authority = `${host}:${target.ports[protocol]}`;
  const timeout = `--timeout=${timeoutMs}ms`;
  return protocol === "http"
    ? ["get", `http://${authority}${target.path ?? "/"}`, timeout]
    : ["udp", authority, "hello", timeout];
}

export function absent({ way, family, protocol }: Question): Result {
  const detail = way.absence ?? `it has no address of ${family}`;
  const verdict = way.isDemanded === true ? "failed" : "skipped";
  return { ...headOf({ way, family, protocol }), verdict, detail };
}

export function failed(question: Question, detail: string): Result {
  return { ...headOf(question), verdict: "failed", detail };
}

export function judge(question: Question, output: RemoteOutput): Result {
  const { target, family } = question;
  const said = output.stderr.replace(/^error: /, "").trim();
  if (output.exitCode !== 0) {
    return failed(question, said || `it ended with ${output.exitCode}: ${output.stdout.trim()}`);
  }
  const echo = parseEcho(output.stdout);
  // Servers other than our echo server may answer anything.
  if (target?.answeredBy === undefined) {
    const seenAs = echo && { seenAs: echo.client.address };
    return { ...headOf(question), verdict: "passed", ...seenAs };
  }
  if (echo === undefined) {
    return failed(question, `somebody else answered: ${output.stdout.trim().slice(0, 80)}`);
  }
  const facts = { seenAs: echo.client.address, answeredBy: echo.pod.name };
  const detail = objection(target, { ...facts, family });
  const verdict = detail === undefined ? "passed" : "failed";
  return { ...headOf(question), verdict, ...facts, ...(detail && { detail }) };
}

export function reportOf(
  results: readonly Result[],
  head: Pick<Report, "families" | "nodes" | "namespace" | "isKept">,
): Report {
  const count = (wanted: Result["verdict"]) =>
    results.filter(({ verdict }) => verdict === wanted).length;
  const counts = { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
  return { ...counts, ...head, results };
}

function objection(
  target: Target,
  facts: { readonly seenAs: string; readonly answeredBy: string; readonly family: Family },
): string | undefined {
  const { seenAs, answeredBy, family } = facts;
  if (target.answeredBy !== answeredBy) {
    return `${answeredBy} answered instead of ${target.answeredBy}`;
  }
  if (target.isRelayed === true) return undefined;
  const seen = Address.tryParse(seenAs);
  if (seen?.family !== family) return `it was asked from ${seenAs}, which is not ${family}`;
  if (target.seenAs !== undefined && !seen.equals(Address.parse(target.seenAs))) {
    return `the receiver saw ${seenAs} instead of ${target.seenAs}: somebody translates it on the way`;
  }
  return undefined;
}

interface Echo {
  readonly client: { readonly address: string };
  readonly pod: { readonly name: string };
}

function parseEcho(text: string): Echo | undefined {
  try {
    const { client, pod } = JSON.parse(text) as Partial<Echo>;
    return client?.address === undefined || pod?.name === undefined ? undefined : { client, pod };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function headOf({ way, family, protocol, target }: Omit<Question, "target"> & Partial<Question>) {
  const { kind, from, to } = way;
  const at = target && { host: target.host, port: target.ports[protocol] };
  return { kind, from, to, family, protocol, ...(at && { target: at }) };
}
