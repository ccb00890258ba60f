// Rules of Pods that other parts need: addresses, properties, conditions, quality of service.

export { accountVolumePrefix, isMirrorPod, takeFromAccount } from "./pod/account.ts";
export { joinedAddresses } from "./pod/addresses.ts";
export { isSidecar } from "./pod/containers.ts";
export {
  defaultNetworkProperty,
  isDefaultAddress,
  networkProperty,
  onDefaultNetwork,
} from "./pod/properties.ts";
export { qualityOfService } from "./pod/quality-of-service.ts";
export { withResizes } from "./pod/resize.ts";
export { isFinishedPod } from "./pod/status.ts";
export { dottedSysctl, isNamespacedSysctl, sysctlPath, sysctlScope } from "./pod/sysctls.ts";
export { validatePodSpec } from "./pod/validate-spec.ts";
