import { fieldErrorText } from "../../../api/fields/field-error-text.ts";
import { type Pair, type PairHolder, reconcilePair, valuesOf } from "../../../api/pairs/pair.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { Fields, Findings } from "../../config/config.ts";
import { ServiceError } from "../errors.ts";
import type { ClusterFields, ClusterNetwork } from "./cluster.ts";
import { misspelledNames } from "./misspelled.ts";
import { clusterProblems } from "./rules.ts";

const nothing: ClusterFields = {
  name: "",
  base_dns_domain: "",
  openshift_version: "",
  api_vips: [],
  ingress_vips: [],
  machine_networks: [],
  cluster_networks: [],
  service_networks: [],
  user_managed_networking: false,
  vip_dhcp_allocation: false,
};

/** Applies a request to a cluster's fields; throws with everything that is wrong. */
export function readRequest(body: unknown, old: ClusterFields = nothing): ClusterFields {
  const findings = new Findings();
  const fields = Fields.ofDocument(body, { findings });
  const problems: string[] = [];
  const cluster: ClusterFields = {
    name: fields.text("name") ?? old.name,
    base_dns_domain: fields.text("base_dns_domain") ?? old.base_dns_domain,
    openshift_version: fields.text("openshift_version") ?? old.openshift_version,
    api_vips: readVips(fields, pairs.api, { old: old.api_vips, problems }),
    ingress_vips: readVips(fields, pairs.ingress, { old: old.ingress_vips, problems }),
    machine_networks: cidrsOf(fields, "machine_networks") ?? old.machine_networks,
    cluster_networks: clusterNetworksOf(fields) ?? old.cluster_networks,
    service_networks: cidrsOf(fields, "service_networks") ?? old.service_networks,
    user_managed_networking:
      fields.boolean("user_managed_networking") ?? old.user_managed_networking,
    vip_dhcp_allocation: fields.boolean("vip_dhcp_allocation") ?? old.vip_dhcp_allocation,
  };
  problems.unshift(...findings.errors.map(fieldErrorText), ...unknownFields(fields));
  if (problems.length === 0) problems.push(...clusterProblems(cluster));
  if (problems.length > 0) throw new ServiceError("Invalid", problems);
  return cluster;
}

/** The misspelled fields; other unknown fields are accepted, since genuine clients send some. */
function unknownFields(fields: Fields): string[] {
  const known = [...Object.keys(nothing), pairs.api.pair.singular, pairs.ingress.pair.singular];
  return misspelledNames(fields.names(), known).map(
    ({ given, known: meant }) => `unknown field ${JSON.stringify(given)}: did you mean ${meant}?`,
  );
}

const canonical = (text: string): string => Address.tryParse(text)?.toString() ?? text;

interface VipPair {
  readonly pair: Pair;
  /** The message when the two disagree. */
  readonly mismatch: string;
}

const pairs: Readonly<Record<"api" | "ingress", VipPair>> = {
  api: pairOf("api_vip", "apiVIP"),
  ingress: pairOf("ingress_vip", "ingressVIP"),
};

function pairOf(singular: string, title: string): VipPair {
  return {
    pair: {
      singular,
      plural: `${singular}s`,
      mismatch: "refuse",
      clearable: true,
      key: "ip",
      canonical,
    },
    mismatch: `${title} must be the same as the first element of ${title}s`,
  };
}

/**
 * Reads the VIPs. Old clients write the singular field alone: it takes the first place, and a second VIP
 * stays. An empty value of either clears both.
 */
function readVips(
  fields: Fields,
  { pair, mismatch }: VipPair,
  { old, problems }: { readonly old: readonly string[]; readonly problems: string[] },
): readonly string[] {
  const list = fields.objects(pair.plural)?.map((one) => one.text("ip") ?? "");
  const single = fields.text(pair.singular);
  const isCleared = fields.isGiven(pair.singular) && (single ?? "") === "";
  const isEmptied = fields.isGiven(pair.plural) && (list ?? []).length === 0;
  if (isEmptied && (single ?? "") === "") return [];
  // A list with duplicates is returned as it is, for validation: the pair would silently drop one.
  if (list !== undefined && new Set(list.map(canonical)).size < list.length) return list;
  const holderOf = (values: readonly string[]): PairHolder => ({
    [pair.singular]: values[0] ?? "",
    [pair.plural]: values.map((ip) => ({ ip })),
  });
  const before = holderOf(old);
  // A singular that equals the second VIP would leave only one, and the error would be about the number of
  // VIPs.
  if (list === undefined && single !== undefined && canonical(single) === old[1]) {
    problems.push(`${mismatch}: ${single} is the second one, after ${old[0]}`);
    return old;
  }
  const holder: PairHolder = {
    ...before,
    ...(list !== undefined && { [pair.plural]: list.map((ip) => ({ ip })) }),
    ...((single !== undefined || isCleared) && { [pair.singular]: single ?? "" }),
  };
  const { errors } = reconcilePair(holder, pair, { path: "", old: before, isPatch: true });
  if (errors.length > 0) problems.push(mismatch);
  return valuesOf(holder, pair);
}

function cidrsOf(fields: Fields, name: string): string[] | undefined {
  return fields.objects(name)?.map((one) => canonicalCidr(one.text("cidr") ?? ""));
}

function clusterNetworksOf(fields: Fields): ClusterNetwork[] | undefined {
  return fields.objects("cluster_networks")?.map((one) => ({
    cidr: canonicalCidr(one.text("cidr") ?? ""),
    host_prefix: one.integer("host_prefix") ?? 0,
  }));
}

function canonicalCidr(text: string): string {
  return Prefix.tryParse(text)?.toString() ?? text;
}
