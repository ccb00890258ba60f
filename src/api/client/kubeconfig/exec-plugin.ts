// Credentials from an exec plugin (client.authentication.k8s.io).

import { dirname, resolve } from "node:path";
import { defined } from "../../../base/json/defined.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Credentials } from "../access.ts";
import { readPem } from "./cluster.ts";
import { Fields, KubeconfigError } from "./fields.ts";
import type { Machine } from "./machine.ts";
import { type Obtained, renewedCredentials } from "./renewed-credentials.ts";

const versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
/** The margin before expiry within which a credential is not used any more. */
const marginMs = 10_000;

export function execPlugin(machine: Machine, user: Fields, cluster: Fields): Credentials {
  const exec = user.fields("exec");
  const apiVersion = exec.required("apiVersion");
  if (!versions.includes(apiVersion)) {
    exec.fail("apiVersion", `is "${apiVersion}", not one of ${versions.join(", ")}`);
  }
  if (exec.text("interactiveMode") === "Always") {
    exec.fail("interactiveMode", "is Always, but there is nobody to ask");
  }
  const command = [commandPath(exec), ...exec.texts("args")];
  const environment = Object.fromEntries(
    exec.list("env").map((variable) => [variable.required("name"), variable.text("value") ?? ""]),
  );
  const obtain = async (): Promise<Obtained> => {
    const spec = {
      interactive: false,
      ...(exec.flag("provideClusterInfo") ? { cluster: await clusterInfo(machine, cluster) } : {}),
    };
    const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec });
    const output = await run(machine, exec, {
      command,
      environment: { ...environment, KUBERNETES_EXEC_INFO: info },
    });
    return parseCredential(output, { source: command.join(" "), apiVersion });
  };
  return renewedCredentials(obtain, machine.clock);
}

async function run(
  { commands }: Machine,
  exec: Fields,
  { command, environment }: { command: readonly string[]; environment: Record<string, string> },
): Promise<string> {
  try {
    return (await commands.run(command, { environment })).stdout;
  } catch (cause) {
    const hint = exec.text("installHint");
    const advice = hint === undefined ? "" : `; ${hint.trim()}`;
    return exec.fail("command", `gave no credential: ${messageOf(cause)}${advice}`, cause);
  }
}

function parseCredential(
  text: string,
  { source, apiVersion }: { readonly source: string; readonly apiVersion: string },
): Obtained {
  const answer = Fields.of({ file: `the answer of ${source}`, path: "" }, parse(source, text));
  if (answer.text("kind") !== "ExecCredential") answer.fail("kind", "is not ExecCredential");
  const version = answer.text("apiVersion");
  if (version !== apiVersion) {
    answer.fail("apiVersion", `is "${version ?? ""}", but ${apiVersion} was asked for`);
  }
  const status = answer.fields("status");
  const token = status.text("token");
  const certificate = status.text("clientCertificateData");
  const key = status.text("clientKeyData");
  if (token === undefined && certificate === undefined) status.fail("token", "is missing");
  if ((certificate === undefined) !== (key === undefined)) {
    status.fail("clientKeyData", "and clientCertificateData come together or not at all");
  }
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return { credential: { authorization, certificate, key }, until: expiry(status) };
}

function expiry(status: Fields): number {
  const text = status.text("expirationTimestamp");
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    return status.fail("expirationTimestamp", `is "${text}", which is no time`);
  return time - marginMs;
}

function parse(source: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The error omits the text, which may contain a secret.
    throw new KubeconfigError(`Cannot use the answer of ${source}: it is no JSON`, { cause });
  }
}

async function clusterInfo({ files }: Machine, cluster: Fields) {
  const authorities = await readPem(files, cluster, "certificate-authority");
  const serverName = cluster.text("tls-server-name");
  const config = cluster
    .list("extensions")
    .find((extension) => extension.text("name") === "client.authentication.k8s.io/exec")
    ?.raw("extension");
  return {
    server: cluster.required("server"),
    ...defined({ "tls-server-name": serverName }),
    ...(cluster.flag("insecure-skip-tls-verify") ? { "insecure-skip-tls-verify": true } : {}),
    ...(authorities === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(authorities).toString("base64") }),
    ...defined({ config }),
  };
}

/** The command; a path with a slash starts at the kubeconfig file, a bare name is looked up in PATH. */
function commandPath(exec: Fields): string {
  const command = exec.required("command");
  return command.includes("/") ? resolve(dirname(exec.place.file), command) : command;
}
