// The workload controllers, by their names in `--controllers`.

import type { ControllerEntry } from "../context.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { daemonSetController } from "./daemon-set/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { jobController } from "./job/controller.ts";
import { replicaSetController, replicationControllerController } from "./replica-set/controller.ts";
import { statefulSetController } from "./stateful-set/controller.ts";

export const workloadControllers: readonly ControllerEntry[] = [
  { name: "deployments", create: deploymentController },
  { name: "replica-sets", create: replicaSetController },
  { name: "daemon-sets", create: daemonSetController },
  { name: "stateful-sets", create: statefulSetController },
  { name: "jobs", create: jobController },
  { name: "cron-jobs", create: cronJobController },
  { name: "replication-controllers", create: replicationControllerController },
];
