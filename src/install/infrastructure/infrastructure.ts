// The Infrastructure object: its fields, its manifest, and the controller that reconciles it.

export { withCondition } from "./condition.ts";
export { infrastructureController, infrastructureRights } from "./controller.ts";
export { infrastructureManifest } from "./manifest.ts";
export { type Infrastructure, infrastructureName, infrastructures } from "./object.ts";
export { recordAnnotation, recordText } from "./record.ts";
