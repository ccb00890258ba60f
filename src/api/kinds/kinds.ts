// The rules of every kind, by group and kind: the facts of its table, and what a file of its own adds
// where fields depend on each other. A kind that is not listed has only its table.
import { schemaOf } from "../schema/registry.ts";
import { resources } from "../schema/resources.ts";
import {
  admissionPolicyBinding,
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
  webhookConfiguration,
} from "./admission/registration.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition.ts";
import { apiService } from "./apiregistration/api-service.ts";
import { controllerRevision } from "./apps/controller-revision.ts";
import { daemonSet } from "./apps/daemon-set.ts";
import { deployment } from "./apps/deployment.ts";
import { replicaSet } from "./apps/replica-set.ts";
import { statefulSet } from "./apps/stateful-set.ts";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { cronJob } from "./batch/cron-job.ts";
import { job } from "./batch/job.ts";
import { certificateSigningRequest } from "./certificates/certificate-signing-request.ts";
import { lease } from "./coordination/lease.ts";
import { configMap } from "./core/config-map.ts";
import { event } from "./core/event.ts";
import { limitRange } from "./core/limit-range.ts";
import { namespace } from "./core/namespace.ts";
import { podTemplate } from "./core/pod-template.ts";
import { replicationController } from "./core/replication-controller.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { secret } from "./core/secret.ts";
import { serviceAccount } from "./core/service-account.ts";
import { endpointSlice } from "./discovery/endpoint-slice.ts";
import { endpoints } from "./endpoints/endpoints.ts";
import { withFacts } from "./facts/with-facts.ts";
import { flowSchema } from "./flowcontrol/flow-schema.ts";
import { priorityLevel } from "./flowcontrol/priority-level.ts";
import type { ApiObject, Kind } from "./kind.ts";
import { ingress } from "./networking/ingress.ts";
import { ingressClass } from "./networking/ingress-class.ts";
import { ipAddress } from "./networking/ip-address.ts";
import { networkPolicy } from "./networking/network-policy.ts";
import { serviceCIDR } from "./networking/service-cidr.ts";
import { node } from "./node/node.ts";
import { runtimeClass } from "./node/runtime-class.ts";
import { pod } from "./pod/pod.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.ts";
import { clusterRoleBinding, roleBinding } from "./rbac/bindings.ts";
import { clusterRole, role } from "./rbac/roles.ts";
import {
  deviceClass,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
} from "./resource/devices.ts";
import { priorityClass } from "./scheduling/priority-class.ts";
import { service } from "./service/service.ts";
import {
  csiDriver,
  csiNode,
  csiStorageCapacity,
  volumeAttachment,
  volumeAttributesClass,
} from "./storage/drivers.ts";
import { persistentVolume } from "./storage/persistent-volume.ts";
import { persistentVolumeClaim } from "./storage/persistent-volume-claim.ts";
import { storageClass } from "./storage/storage-class.ts";

/** Returns the rules of a kind. Facts come from the stored version, the first in the list of resources. */
export function kindOf(group: string, kind: string): Kind | undefined {
  const id = `${group}/${kind}`;
  const known = complete.get(id);
  if (known !== undefined) return known;
  const stored = resources.find((each) => each.group === group && each.kind === kind);
  const schema = stored && schemaOf(stored);
  if (schema === undefined) return kinds.get(id);
  const made = withFacts(schema, kinds.get(id) ?? {});
  complete.set(id, made);
  return made;
}

const complete = new Map<string, Kind>();

const kinds: ReadonlyMap<string, Kind> = new Map([
  row("", "ConfigMap", configMap),
  row("", "Endpoints", endpoints),
  row("", "Event", event),
  row("", "Namespace", namespace),
  row("", "Node", node),
  row("", "Pod", pod),
  row("", "PodTemplate", podTemplate),
  row("", "ReplicationController", replicationController),
  row("", "Secret", secret),
  row("", "Service", service),
  row("", "ServiceAccount", serviceAccount),
  row("", "LimitRange", limitRange),
  row("", "PersistentVolume", persistentVolume),
  row("", "PersistentVolumeClaim", persistentVolumeClaim),
  row("", "ResourceQuota", resourceQuota),
  row("admissionregistration.k8s.io", "MutatingAdmissionPolicy", mutatingAdmissionPolicy),
  row("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", admissionPolicyBinding),
  row("admissionregistration.k8s.io", "MutatingWebhookConfiguration", webhookConfiguration),
  row("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", validatingAdmissionPolicy),
  row("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", admissionPolicyBinding),
  row("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", webhookConfiguration),
  row("apiregistration.k8s.io", "APIService", apiService),
  row("autoscaling", "HorizontalPodAutoscaler", horizontalPodAutoscaler),
  row("node.k8s.io", "RuntimeClass", runtimeClass),
  row("resource.k8s.io", "DeviceClass", deviceClass),
  row("resource.k8s.io", "ResourceClaim", resourceClaim),
  row("resource.k8s.io", "ResourceClaimTemplate", resourceClaimTemplate),
  row("resource.k8s.io", "ResourceSlice", resourceSlice),
  row("scheduling.k8s.io", "PriorityClass", priorityClass),
  row("storage.k8s.io", "CSIDriver", csiDriver),
  row("storage.k8s.io", "CSINode", csiNode),
  row("storage.k8s.io", "CSIStorageCapacity", csiStorageCapacity),
  row("storage.k8s.io", "StorageClass", storageClass),
  row("storage.k8s.io", "VolumeAttachment", volumeAttachment),
  row("storage.k8s.io", "VolumeAttributesClass", volumeAttributesClass),
  row("apiextensions.k8s.io", "CustomResourceDefinition", customResourceDefinition),
  row("apps", "ControllerRevision", controllerRevision),
  row("apps", "DaemonSet", daemonSet),
  row("apps", "Deployment", deployment),
  row("apps", "ReplicaSet", replicaSet),
  row("apps", "StatefulSet", statefulSet),
  row("batch", "CronJob", cronJob),
  row("batch", "Job", job),
  row("certificates.k8s.io", "CertificateSigningRequest", certificateSigningRequest),
  row("coordination.k8s.io", "Lease", lease),
  row("discovery.k8s.io", "EndpointSlice", endpointSlice),
  row("networking.k8s.io", "Ingress", ingress),
  row("networking.k8s.io", "IngressClass", ingressClass),
  row("networking.k8s.io", "IPAddress", ipAddress),
  row("networking.k8s.io", "NetworkPolicy", networkPolicy),
  row("networking.k8s.io", "ServiceCIDR", serviceCIDR),
  row("flowcontrol.apiserver.k8s.io", "FlowSchema", flowSchema),
  row("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", priorityLevel),
  row("policy", "PodDisruptionBudget", podDisruptionBudget),
  row("rbac.authorization.k8s.io", "ClusterRole", clusterRole),
  row("rbac.authorization.k8s.io", "ClusterRoleBinding", clusterRoleBinding),
  row("rbac.authorization.k8s.io", "Role", role),
  row("rbac.authorization.k8s.io", "RoleBinding", roleBinding),
]);

/** Makes one row of the table. The server looks rules up by kind, so they get only objects of their kind. */
function row<T extends ApiObject>(group: string, name: string, kind: Kind<T>): [string, Kind] {
  return [`${group}/${name}`, kind];
}
