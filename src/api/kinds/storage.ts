// Rules of volumes and claims that other parts need: who may have which volume, and which claims a pod names.

export {
  bestVolume,
  bindCompleted,
  boundByController,
  claimProtection,
  classNameOf,
  isBoundTo,
  isFullyBound,
  isMeantFor,
  mismatchOf,
  provisionedBy,
  selectedNode,
  volumeProtection,
} from "./storage/binding.ts";
export {
  directoriesOfNode,
  directoryDriver,
  directoryFinalizer,
  directoryOf,
  directoryParts,
  nodeOfDirectory,
} from "./storage/directory-volume.ts";
export { claimOf, claimsOf, isMadeFor, type PodClaim } from "./storage/pod-claims.ts";
export { defaultClass } from "./storage/storage-class.ts";
