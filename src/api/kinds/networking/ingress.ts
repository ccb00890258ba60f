import type { Ingress } from "../../types/networking.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";
import { ingressClassErrors, ingressErrors, ingressStatusErrors } from "./validate-ingress.ts";

const shownHosts = 3;

export const ingress: Kind<Ingress> = specAndStatus<Ingress>({
  initialStatus: () => ({ loadBalancer: {} }),
  reconcile: (object, { old }) => ({
    errors: old === undefined ? ingressClassErrors(object) : [],
    warnings: [],
  }),
  validate: ingressErrors,
  validateStatusUpdate: ingressStatusErrors,
  table: table<Ingress>([
    nameColumn,
    text("Class", ({ spec }) => spec.ingressClassName ?? "<none>"),
    text("Hosts", hostsText),
    text("Address", addressText),
    text("Ports", ({ spec }) => ((spec.tls ?? []).length > 0 ? "80, 443" : "80")),
    ageColumn,
  ]),
});

function hostsText({ spec }: Ingress): string {
  const { rules = [] } = spec;
  const hosts = rules.flatMap(({ host }) => host || []);
  const shown = hosts.slice(0, shownHosts).join(",");
  const rest = rules.length - shownHosts;
  const isCut = hosts.length >= shownHosts && rest > 0 && lastShown(rules) < rules.length - 1;
  return isCut ? `${shown} + ${rest} more...` : shown || "*";
}

/** The position of the last rule whose host is shown. */
function lastShown(rules: readonly { host?: string }[]): number {
  const named = rules.flatMap(({ host }, index) => (host ? [index] : []));
  return named[shownHosts - 1] ?? rules.length;
}

function addressText({ status }: Ingress): string {
  const points = status?.loadBalancer?.ingress ?? [];
  const texts = points
    .map(({ ip, hostname }) => ip || (hostname ?? ""))
    .filter((one) => one !== "");
  return [...new Set(texts)].toSorted().join(",");
}
