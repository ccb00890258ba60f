// Plans what nginx serves, from Ingresses and the objects they refer to. A mistake in one Ingress is reported
// as its problem and does not affect the others.

import { keyOf } from "../../../api/client/objects.ts";
import type { Ingress, IngressBackend, IngressTLS } from "../../../api/types/networking.ts";
import { readAnnotations, type Settings } from "./annotations.ts";
import { Backends, type Upstream } from "./backends.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { coversHost, readHost } from "./host.ts";
import type { ReferredObjects } from "./objects.ts";
import { readPath, root } from "./path.ts";
import { type Problem, refused, UnfitValue } from "./problem.ts";
import { type Site, Sites } from "./sites.ts";

export interface Plan {
  /** The sites; the first one is for all other hosts and always present. */
  readonly sites: readonly Site[];
  readonly upstreams: readonly Upstream[];
  readonly certificates: readonly Certificate[];
  /** The problems by the key of the Ingress. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** The keys of Ingresses of which at least a part is served. */
  readonly served: ReadonlySet<string>;
}

/** Plans the sites; where two Ingresses want the same path, the older one gets it. */
export function planSites(ingresses: readonly Ingress[], objects: ReferredObjects): Plan {
  const draft: Draft = {
    objects,
    sites: new Sites(),
    backends: new Backends(objects),
    certificates: new Map(),
  };
  const problems = new Map<string, readonly Problem[]>();
  for (const ingress of ingresses.toSorted(byAge)) {
    const found = addIngress(ingress, draft);
    if (found.length > 0) problems.set(keyOf(ingress), found);
  }
  return {
    sites: draft.sites.list(),
    upstreams: draft.backends.upstreams,
    certificates: [...draft.certificates.values()],
    problems,
    served: draft.sites.owners,
  };
}

interface Draft {
  readonly objects: ReferredObjects;
  readonly sites: Sites;
  readonly backends: Backends;
  /** The certificates by the key of the secret. */
  readonly certificates: Map<string, Certificate>;
}

interface Subject {
  readonly ingress: Ingress;
  readonly settings: Settings;
  readonly problems: Problem[];
}

function addIngress(ingress: Ingress, draft: Draft): Problem[] {
  const { settings, problems: found } = readAnnotations(ingress);
  const problems = [...found];
  if (settings === undefined) return problems;
  const subject = { ingress, settings, problems };
  const hosts = addRules(subject, draft);
  addDefault(subject, draft, hosts);
  for (const [n, tls] of (ingress.spec.tls ?? []).entries()) {
    addCertificate(subject, draft, { tls, field: `spec.tls[${n}]`, hosts });
  }
  return problems;
}

/** Adds the rules, and returns the hosts of those that can be served. */
function addRules(subject: Subject, draft: Draft): Set<string> {
  const { ingress, settings, problems } = subject;
  const owner = keyOf(ingress);
  const hosts = new Set<string>();
  for (const [n, rule] of (ingress.spec.rules ?? []).entries()) {
    const field = `spec.rules[${n}]`;
    const host = tried(() => readHost(rule.host), `${field}.host`, { value: rule.host, problems });
    if (host === undefined) continue;
    hosts.add(host);
    for (const [m, each] of (rule.http?.paths ?? []).entries()) {
      const at = `${field}.http.paths[${m}]`;
      const what = { value: each.path, problems };
      const path = tried(() => readPath(each, settings), `${at}.path`, what);
      const backend = upstreamOf(each.backend, `${at}.backend`, { subject, draft });
      if (path === undefined || backend === undefined) continue;
      const route = { path, settings, ...backend, isHttpsOnly: isHttpsOnly(subject, host) };
      const holder = draft.sites.add(host, route, owner);
      if (holder !== undefined) {
        const state = `${holder}, which is older, has the same path of host "${host}"`;
        problems.push({ ...refused(`${at}.path`, each.path ?? "/", state), reason: "Conflict" });
      }
    }
  }
  return hosts;
}

/** Adds the default backend: for unmatched paths of the Ingress's own hosts, and for hosts without a rule. */
function addDefault(subject: Subject, draft: Draft, hosts: ReadonlySet<string>): void {
  const { ingress, settings, problems } = subject;
  const { defaultBackend } = ingress.spec;
  if (defaultBackend === undefined) return;
  const backend = upstreamOf(defaultBackend, "spec.defaultBackend", { subject, draft });
  if (backend === undefined) return;
  const owner = keyOf(ingress);
  const plain = { ...settings, rewriteTarget: undefined };
  for (const host of new Set([...hosts, ""])) {
    const isSafe = isHttpsOnly(subject, host);
    const route = { path: root, settings: plain, ...backend, isHttpsOnly: isSafe };
    const holder = draft.sites.addDefault(host, route, owner);
    if (holder === undefined || hosts.size > 0) continue;
    const message = `Cannot serve spec.defaultBackend: that of ${holder}, which is older, is used`;
    problems.push({ reason: "Conflict", message });
  }
}

function addCertificate(
  { ingress, problems }: Subject,
  draft: Draft,
  { tls, field, hosts }: { tls: IngressTLS; field: string; hosts: ReadonlySet<string> },
): void {
  const certificate = findCertificate(tls.secretName, field, { ingress, problems, draft });
  for (const host of [...hosts].filter((each) => isFor(tls, each))) {
    const holder = draft.sites.secure(host, certificate?.name, keyOf(ingress));
    if (holder === undefined) continue;
    const state = `${holder}, which is older, has another certificate for host "${host}"`;
    problems.push({
      ...refused(`${field}.secretName`, tls.secretName ?? "", state),
      reason: "Conflict",
    });
  }
}

/** Whether a TLS entry applies to a host; one without hosts applies to all of the Ingress. */
function isFor({ hosts = [] }: IngressTLS, host: string): boolean {
  return hosts.length === 0 || hosts.some((one) => coversHost(one.toLowerCase(), host));
}

/** Whether an Ingress redirects a host to HTTPS; each decides for its own paths, also on a shared host. */
function isHttpsOnly({ ingress, settings }: Subject, host: string): boolean {
  const isSecured = (ingress.spec.tls ?? []).some((tls) => isFor(tls, host));
  return settings.forcesHttps || (settings.redirectsToHttps && isSecured);
}

function findCertificate(
  name: string | undefined,
  field: string,
  { ingress, problems, draft }: { ingress: Ingress; problems: Problem[]; draft: Draft },
): Certificate | undefined {
  if (name === undefined || name === "") return undefined;
  const key = `${ingress.metadata.namespace}/${name}`;
  const known = draft.certificates.get(key);
  if (known !== undefined) return known;
  const secret = draft.objects.secret(key);
  const report = (state: string) => {
    const problem = refused(
      `${field}.secretName`,
      name,
      `${state}; the default certificate is used`,
    );
    problems.push({ ...problem, reason: "MissingCertificate" });
  };
  if (secret === undefined) {
    report("there is no such secret of type kubernetes.io/tls");
    return undefined;
  }
  try {
    const certificate = readCertificate(secret);
    draft.certificates.set(key, certificate);
    return certificate;
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    report(error.message);
    return undefined;
  }
}

/** The upstream of a backend; undefined if it is invalid. A service that is missing may still come. */
function upstreamOf(
  backend: IngressBackend,
  field: string,
  { subject, draft }: { subject: Subject; draft: Draft },
): { readonly upstream: string | undefined } | undefined {
  const { ingress, settings, problems } = subject;
  if (settings.redirect !== undefined) return { upstream: undefined };
  const found = draft.backends.find(ingress.metadata.namespace, backend);
  if ("upstream" in found) return found;
  const { reason, value, state } = found;
  problems.push({ ...refused(field, value, state), reason });
  return reason === "Refused" ? undefined : { upstream: undefined };
}

function tried<T>(
  read: () => T,
  field: string,
  { value = "", problems }: { value: string | undefined; problems: Problem[] },
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    problems.push(refused(field, value, error.message));
    return undefined;
  }
}

function byAge(a: Ingress, b: Ingress): number {
  const [first = "", second = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return compare(first, second) || compare(keyOf(a), keyOf(b));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
