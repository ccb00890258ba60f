import { Prefix } from "../../../base/net/prefix.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../fields/field-errors.ts";
import type { Service } from "../../types/core.ts";
import { reachableAddressErrors } from "../address-errors.ts";
import { isExternallyAccessible, isHeadless, needsHealthCheckNodePort } from "./needs.ts";
import { validateFamilyFields, validateFamilyUpdate } from "./validate-families.ts";
import { validatePorts } from "./validate-ports.ts";

const trafficPolicies = ["Cluster", "Local"];
const maxAffinitySeconds = 86_400;

export function validateService(service: Service): FieldError[] {
  const { spec } = service;
  const errors = [
    ...typeErrors(service),
    ...validatePorts(service),
    ...affinityErrors(service),
    ...validateFamilyFields(service),
    ...(spec.externalIPs ?? []).flatMap((text, index) =>
      reachableAddressErrors(`spec.externalIPs[${index}]`, text),
    ),
    ...loadBalancerErrors(service),
    ...trafficErrors(service),
  ];
  if (spec.endpointFamily !== undefined && spec.type === "ExternalName") {
    errors.push(forbidden("spec.endpointFamily", "may not be set for ExternalName services"));
  }
  return errors;
}

export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  const errors = validateFamilyUpdate(service, old);
  const { spec } = service;
  if (old.spec.type === "LoadBalancer" && spec.type === "LoadBalancer") {
    if (old.spec.loadBalancerClass !== spec.loadBalancerClass) {
      errors.push(
        invalid("spec.loadBalancerClass", spec.loadBalancerClass, "may not change once set"),
      );
    }
  }
  if (needsHealthCheckNodePort(old) && needsHealthCheckNodePort(service)) {
    const before = old.spec.healthCheckNodePort;
    if (before && before !== spec.healthCheckNodePort) {
      errors.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
    }
  }
  return errors;
}

function typeErrors(service: Service): FieldError[] {
  const { spec } = service;
  if (spec.type === "ExternalName") return externalNameErrors(service);
  if (isHeadless(service)) {
    const detail = `may not be set to 'None' for ${spec.type} services`;
    return spec.type === "ClusterIP" ? [] : [invalid("spec.clusterIPs[0]", "None", detail)];
  }
  return (spec.ports ?? []).length === 0 ? [required("spec.ports")] : [];
}

function externalNameErrors({ spec }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const detail = "may not be set for ExternalName services";
  if ((spec.clusterIPs ?? []).length > 0) errors.push(forbidden("spec.clusterIPs", detail));
  if ((spec.ipFamilies ?? []).length > 0) errors.push(forbidden("spec.ipFamilies", detail));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbidden("spec.ipFamilyPolicy", detail));
  if (!spec.externalName) errors.push(required("spec.externalName"));
  return errors;
}

function affinityErrors({ spec }: Service): FieldError[] {
  if (spec.sessionAffinity !== "ClientIP") return [];
  const field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= maxAffinitySeconds) return [];
  return [invalid(field, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`)];
}

function loadBalancerErrors({ spec }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const isLoadBalancer = spec.type === "LoadBalancer";
  const only = "may only be used when `type` is 'LoadBalancer'";
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0 && !isLoadBalancer) {
    errors.push(forbidden("spec.loadBalancerSourceRanges", only));
  }
  for (const [index, text] of ranges.entries()) {
    if (Prefix.tryParse(text.trim()) !== undefined) continue;
    const detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    errors.push(invalid(`spec.loadBalancerSourceRanges[${index}]`, text, detail));
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isLoadBalancer) {
    errors.push(forbidden("spec.allocateLoadBalancerNodePorts", only));
  }
  if (spec.loadBalancerClass !== undefined && !isLoadBalancer) {
    errors.push(forbidden("spec.loadBalancerClass", only));
  }
  return errors;
}

function trafficErrors(service: Service): FieldError[] {
  const { spec } = service;
  const errors: FieldError[] = [];
  const external = spec.externalTrafficPolicy;
  if (isExternallyAccessible(service)) {
    if (!trafficPolicies.includes(external ?? "")) {
      errors.push(notSupported("spec.externalTrafficPolicy", external, trafficPolicies));
    }
  } else if (external !== undefined) {
    const detail = "may only be set for externally-accessible services";
    errors.push(invalid("spec.externalTrafficPolicy", external, detail));
  }
  if (spec.healthCheckNodePort && !needsHealthCheckNodePort(service)) {
    const detail =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid("spec.healthCheckNodePort", spec.healthCheckNodePort, detail));
  }
  return errors;
}
