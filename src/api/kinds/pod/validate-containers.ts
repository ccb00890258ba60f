import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, forbidden, invalid, notFound, required } from "../../fields/field-errors.ts";
import { dnsLabel, portName } from "../../fields/names.ts";
import type { Container, ContainerPort, EphemeralContainer, PodSpec } from "../../types/core.ts";
import { each, isRepeated, named, optionalOneOf, present, presentName, within } from "../checks.ts";
import { isSidecar } from "./containers.ts";
import { resizePolicyErrors } from "./resize.ts";
import { environmentErrors } from "./validate-environment.ts";
import { handlerErrors, noHandlerErrors } from "./validate-handlers.ts";
import { deviceErrors, mountErrors } from "./validate-mounts.ts";
import { resourceErrors } from "./validate-resources.ts";
import { containerSecurityErrors } from "./validate-security.ts";

const ports = [1, 65_535] as const;

export function containerErrors(spec: PodSpec, path: string): FieldError[] {
  const {
    containers = [],
    initContainers = [],
    ephemeralContainers = [],
  } = spec as Partial<PodSpec>;
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  const names = new Set<string>();
  const listPath = `${path}.containers`;
  if (containers.length === 0) return [required(listPath)];
  return [
    ...each(containers, listPath, (container, one) => [
      ...commonErrors(container, spec, one),
      ...repeatedName(names, container, one),
      ...handlerErrors(container, one, grace),
      ...(container.restartPolicy === undefined
        ? []
        : [forbidden(`${one}.restartPolicy`, "may not be set for non-init containers")]),
    ]),
    ...hostPortErrors(containers, listPath),
    ...each(initContainers, `${path}.initContainers`, (container, one) => [
      ...commonErrors(container, spec, one),
      ...optionalOneOf(`${one}.restartPolicy`, container.restartPolicy, ["Always"]),
      ...repeatedName(names, container, one),
      ...hostPortErrors([container], `${path}.initContainers`),
      ...(isSidecar(container)
        ? handlerErrors(container, one, grace)
        : noHandlerErrors(container, one)),
    ]),
    ...ephemeralErrors({ ephemeralContainers, names }, spec, `${path}.ephemeralContainers`),
  ];
}

/** Checks the image of a pod's container; in templates something else may still fill it in. */
export function imageErrors(container: Container | EphemeralContainer, path: string): FieldError[] {
  const { image = "" } = container;
  const detail = "must not have leading or trailing whitespace";
  return image.trim() === image ? [] : [invalid(`${path}.image`, image, detail)];
}

function repeatedName(names: Set<string>, { name }: { name: string }, path: string): FieldError[] {
  return name && isRepeated(names, name) ? [duplicate(`${path}.name`, name)] : [];
}

function commonErrors(
  container: Container | EphemeralContainer,
  spec: PodSpec,
  path: string,
): FieldError[] {
  return [
    ...presentName(`${path}.name`, container.name, dnsLabel),
    ...present(`${path}.image`, container.image),
    ...portErrors(container.ports ?? [], `${path}.ports`),
    ...environmentErrors(container, path),
    ...mountErrors(container, spec, `${path}.volumeMounts`),
    ...deviceErrors(container, spec, `${path}.volumeDevices`),
    ...resourceErrors(container.resources ?? {}, `${path}.resources`),
    ...resizePolicyErrors(container, spec, `${path}.resizePolicy`),
    ...containerSecurityErrors(container.securityContext, `${path}.securityContext`, {
      hostUsers: spec.hostUsers !== false,
    }),
  ];
}

function portErrors(list: readonly ContainerPort[], path: string): FieldError[] {
  const names = new Set<string>();
  return each(list, path, (port, one) => {
    const { name, containerPort, hostPort } = port;
    const wrong = name ? named(`${one}.name`, name, portName) : [];
    const isDouble = name !== undefined && wrong.length === 0 && name && isRepeated(names, name);
    return [
      ...wrong,
      ...(isDouble ? [duplicate(`${one}.name`, name)] : []),
      ...(containerPort
        ? within(`${one}.containerPort`, containerPort, ports)
        : [required(`${one}.containerPort`)]),
      ...(hostPort ? within(`${one}.hostPort`, hostPort, ports) : []),
    ];
  });
}

/** Refuses host ports that two containers use, when these run at the same time. */
function hostPortErrors(containers: readonly Container[], path: string): FieldError[] {
  const taken = new Set<string>();
  return each(containers, path, (container, one) =>
    each(container.ports, `${one}.ports`, ({ protocol, hostIP = "", hostPort }, field) => {
      const key = `${protocol}/${hostIP}/${hostPort}`;
      return hostPort && isRepeated(taken, key) ? [duplicate(`${field}.hostPort`, key)] : [];
    }),
  );
}

/** The fields that ephemeral containers, which serve debugging, must not have. */
const dutyFields = [
  "ports",
  "resizePolicy",
  "restartPolicy",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

function ephemeralErrors(
  { ephemeralContainers, names }: { ephemeralContainers: EphemeralContainer[]; names: Set<string> },
  spec: PodSpec,
  path: string,
): FieldError[] {
  const others = new Set(names);
  const detail = "cannot be set for an Ephemeral Container";
  return each(ephemeralContainers, path, (container, one) => {
    const { targetContainerName: target = "" } = container;
    const hasResources = Object.keys(container.resources ?? {}).length > 0;
    return [
      ...commonErrors(container, spec, one),
      ...imageErrors(container, one),
      ...repeatedName(names, container, one),
      ...(target !== "" && !others.has(target)
        ? [notFound(`${one}.targetContainerName`, target)]
        : []),
      ...dutyFields
        .filter((field) => container[field] !== undefined)
        .map((field) => forbidden(`${one}.${field}`, detail)),
      ...(hasResources ? [forbidden(`${one}.resources`, detail)] : []),
      ...each(container.volumeMounts, `${one}.volumeMounts`, (mount, field) =>
        (["subPath", "subPathExpr"] as const)
          .filter((name) => mount[name])
          .map((name) => forbidden(`${field}.${name}`, detail)),
      ),
    ];
  });
}
