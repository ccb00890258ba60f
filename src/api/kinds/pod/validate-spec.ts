// Checks of a pod's spec, in a pod or in a pod template.

import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, forbidden, invalid, required } from "../../fields/field-errors.ts";
import { dnsSubdomain, qualifiedName, searchDomain } from "../../fields/names.ts";
import type { HostAlias, PodDNSConfig, PodSpec } from "../../types/core.ts";
import { addressErrors } from "../address-errors.ts";
import { each, isRepeated, named, oneOf, present } from "../checks.ts";
import { validateLabels } from "../metadata.ts";
import { containerErrors } from "./validate-containers.ts";
import { schedulingErrors } from "./validate-scheduling.ts";
import { hostUserErrors, podSecurityErrors } from "./validate-security.ts";
import { volumeErrors } from "./validate-volumes.ts";

const resolver = { nameservers: 3, searches: 32, searchText: 2048 };

export function validatePodSpec(
  spec: PodSpec,
  path: string,
  { isPod }: { isPod: boolean },
): FieldError[] {
  return [
    ...volumeErrors(spec, `${path}.volumes`),
    ...containerErrors(spec, path),
    ...hostNetworkErrors(spec, path, isPod),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...podSecurityErrors(spec, `${path}.securityContext`),
    ...resolverErrors(spec, `${path}.dnsConfig`),
    ...gateErrors(spec, `${path}.schedulingGates`),
    ...schedulingErrors(spec, path),
    ...hostUserErrors(spec, path),
    ...each(spec.hostAliases, `${path}.hostAliases`, aliasErrors),
    ...(spec.os === undefined ? [] : oneOf(`${path}.os`, spec.os.name, ["linux", "windows"])),
  ];
}

/** Checks that host ports equal container ports in the host's network; templates may leave them out. */
function hostNetworkErrors(spec: PodSpec, path: string, isPod: boolean): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  const detail = "must match `containerPort` when `hostNetwork` is true";
  return each(spec.containers, `${path}.containers`, (container, one) =>
    each(container.ports, `${one}.ports`, ({ hostPort = 0, containerPort }, field) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [invalid(`${field}.hostPort`, hostPort, detail)]
        : [],
    ),
  );
}

function resolverErrors({ dnsConfig, dnsPolicy }: PodSpec, path: string): FieldError[] {
  const when = "when `dnsPolicy` is None";
  if (dnsPolicy === "None") {
    if (dnsConfig === undefined) return [required(path, `must provide \`dnsConfig\` ${when}`)];
    if ((dnsConfig.nameservers ?? []).length === 0) {
      const detail = `must provide at least one DNS nameserver ${when}`;
      return [required(`${path}.nameservers`, detail)];
    }
  }
  return dnsConfig === undefined ? [] : resolverConfigErrors(dnsConfig, path);
}

function resolverConfigErrors(config: PodDNSConfig, path: string): FieldError[] {
  const { nameservers = [], searches = [], options } = config;
  const tooMany = (field: string, value: readonly string[], what: string) =>
    invalid(`${path}.${field}`, value, `must not have more than ${what}`);
  return [
    ...(nameservers.length > resolver.nameservers
      ? [tooMany("nameservers", nameservers, `${resolver.nameservers} nameservers`)]
      : []),
    ...each(nameservers, `${path}.nameservers`, (text, field) => addressErrors(field, text)),
    ...(searches.length > resolver.searches
      ? [tooMany("searches", searches, `${resolver.searches} search paths`)]
      : []),
    ...(searches.join(" ").length > resolver.searchText
      ? [
          tooMany(
            "searches",
            searches,
            `${resolver.searchText} characters (including spaces) in the search list`,
          ),
        ]
      : []),
    ...each(searches, `${path}.searches`, (search, field) =>
      search === "." ? [] : named(field, search.replace(/\.$/, ""), searchDomain),
    ),
    ...each(options, `${path}.options`, ({ name }, field) =>
      present(field, name, "must not be empty"),
    ),
  ];
}

function gateErrors({ schedulingGates }: PodSpec, path: string): FieldError[] {
  const names = new Set<string>();
  return each(schedulingGates, path, ({ name }, field) => [
    ...named(field, name, qualifiedName),
    ...(isRepeated(names, name) ? [duplicate(field, name)] : []),
  ]);
}

function aliasErrors({ ip, hostnames }: HostAlias, path: string): FieldError[] {
  return [
    ...addressErrors(`${path}.ip`, ip ?? ""),
    ...each(hostnames, `${path}.hostnames`, (name, field) => named(field, name, dnsSubdomain)),
  ];
}

/** Refuses ephemeral containers in a pod template. */
export function noEphemeralErrors(spec: PodSpec, path: string, detail: string): FieldError[] {
  const isFree = (spec.ephemeralContainers ?? []).length === 0;
  return isFree ? [] : [forbidden(`${path}.ephemeralContainers`, detail)];
}
