import type { Container, ContainerState, ContainerStatus, EnvVar } from "../../api/types/core.ts";
import { field, indented, longTime, pairs } from "./layout.ts";

export function containerLines(
  containers: readonly Container[],
  statuses: readonly ContainerStatus[] = [],
): string[] {
  return containers.flatMap((container) => {
    const status = statuses.find(({ name }) => name === container.name);
    const lines = linesOf(container, status);
    return [`  ${container.name}:`, ...indented(indented(lines))];
  });
}

function linesOf(container: Container, status: ContainerStatus | undefined): string[] {
  const { ports = [], resources, volumeMounts = [] } = container;
  const title = ports.length > 1 ? ["Ports", "Host Ports"] : ["Port", "Host Port"];
  const portTexts = ports.map(({ containerPort, protocol }) => `${containerPort}/${protocol}`);
  const hostTexts = ports.map(({ hostPort = 0, protocol }) => `${hostPort}/${protocol}`);
  return [
    ...(status?.containerID ? field("Container ID", status.containerID) : []),
    ...field("Image", container.image),
    ...(status?.imageID ? field("Image ID", status.imageID) : []),
    ...field(title[0] ?? "", portTexts.join(", ") || undefined),
    ...field(title[1] ?? "", hostTexts.join(", ") || undefined),
    ...list("Command", container.command),
    ...list("Args", container.args),
    ...stateLines("State", status?.state),
    ...(status?.lastState === undefined ? [] : stateLines("Last State", status.lastState)),
    ...field("Ready", status?.ready === true ? "True" : "False"),
    ...field("Restart Count", String(status?.restartCount ?? 0)),
    ...amounts("Limits", resources?.limits),
    ...amounts("Requests", resources?.requests),
    ...list("Environment", container.env?.map(variableText), "<none>"),
    ...list(
      "Mounts",
      volumeMounts.map(
        ({ mountPath, name, readOnly }) =>
          `${mountPath} from ${name} (${readOnly === true ? "ro" : "rw"})`,
      ),
      "<none>",
    ),
  ];
}

/** Lists each value on a line of its own under the title. */
function list(title: string, values: readonly string[] | undefined, none?: string): string[] {
  if (values !== undefined && values.length > 0) return [`${title}:`, ...indented(values)];
  return none === undefined ? [] : field(title, none);
}

function amounts(title: string, map: Readonly<Record<string, string>> | undefined): string[] {
  return list(title, pairs(map, ":\t"));
}

function stateLines(title: string, state: ContainerState | undefined): string[] {
  const { running, waiting, terminated } = state ?? {};
  if (running !== undefined) {
    return [...field(title, "Running"), ...indented(field("Started", longTime(running.startedAt)))];
  }
  if (waiting !== undefined) {
    const { reason, message } = waiting;
    return [...field(title, "Waiting"), ...indented(reasons({ reason, message }))];
  }
  if (terminated === undefined) return title === "State" ? field(title, "Waiting") : [];
  const { reason, message, exitCode, startedAt, finishedAt } = terminated;
  return [
    ...field(title, "Terminated"),
    ...indented([
      ...reasons({ reason, message }),
      ...field("Exit Code", String(exitCode)),
      ...field("Started", longTime(startedAt)),
      ...field("Finished", longTime(finishedAt)),
    ]),
  ];
}

function reasons(why: { reason: string | undefined; message: string | undefined }): string[] {
  return [
    ...(why.reason ? field("Reason", why.reason) : []),
    ...(why.message ? field("Message", why.message) : []),
  ];
}

function variableText({ name, value = "", valueFrom }: EnvVar): string {
  if (valueFrom === undefined) return `${name}:\t${value}`;
  const { fieldRef, configMapKeyRef: map, secretKeyRef: secret } = valueFrom;
  if (fieldRef !== undefined) return `${name}:\t (${fieldRef.apiVersion}:${fieldRef.fieldPath})`;
  if (map !== undefined) {
    return `${name}:\t<set to the key '${map.key}' of config map '${map.name}'>`;
  }
  if (secret !== undefined)
    return `${name}:\t<set to the key '${secret.key}' in secret '${secret.name}'>`;
  return `${name}:\t<set from elsewhere>`;
}
