// The connectivity check: its deployment, its plan, its questions and the report.

export { askAll } from "./ask.ts";
export {
  type Deployment,
  deployPods,
  familiesOf,
  makeNamespace,
  removeNamespace,
} from "./deploy.ts";
export { untilNamed } from "./names.ts";
export { chooseNodes } from "./nodes.ts";
export { echoImage } from "./objects.ts";
export { planWays } from "./plan.ts";
export { explainDenied } from "./policies.ts";
export { tryCells } from "./policy/ask.ts";
export { cellsOf, portsOf } from "./policy/cells.ts";
export { deployWitnesses, removeWitnesses, type WitnessDeployment } from "./policy/deploy.ts";
export { type PolicyReport, policyReportOf, policyReportText } from "./policy/report.ts";
export { planWitnesses } from "./policy/witnesses.ts";
export { reportText } from "./report.ts";
export { questionsOf, type Report, type Result, reportOf } from "./results.ts";
export { deployFronts, deployServices } from "./services.ts";
export type { Outside, PodStand, Stage, Stand } from "./stage.ts";
