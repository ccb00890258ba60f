// The workload controllers, by their names in `--controllers`.

import { rule } from "../../../api/kinds/rbac.ts";
import type { ControllerEntry } from "../context.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { daemonSetController } from "./daemon-set/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { jobController } from "./job/controller.ts";
import { replicaSetController, replicationControllerController } from "./replica-set/controller.ts";
import { statefulSetController } from "./stateful-set/controller.ts";

const createPods = rule("create", "core", "pods");
const writeRevisions = rule("create update", "apps", "controllerrevisions");

export const workloadControllers: readonly ControllerEntry[] = [
  {
    name: "deployments",
    rights: [
      rule("create update", "apps", "replicasets"),
      rule("update", "apps", "deployments/status"),
    ],
    create: deploymentController,
  },
  {
    name: "replica-sets",
    rights: [createPods, rule("update", "apps", "replicasets/status")],
    create: replicaSetController,
  },
  {
    name: "daemon-sets",
    rights: [createPods, writeRevisions, rule("update", "apps", "daemonsets/status")],
    create: daemonSetController,
  },
  {
    name: "stateful-sets",
    rights: [
      createPods,
      writeRevisions,
      rule("create update", "core", "persistentvolumeclaims"),
      rule("update", "apps", "statefulsets/status"),
    ],
    create: statefulSetController,
  },
  {
    name: "jobs",
    rights: [createPods, rule("update", "batch", "jobs jobs/status")],
    create: jobController,
  },
  {
    name: "cron-jobs",
    rights: [rule("create", "batch", "jobs"), rule("update", "batch", "cronjobs/status")],
    create: cronJobController,
  },
  {
    name: "replication-controllers",
    rights: [createPods, rule("update", "core", "replicationcontrollers/status")],
    create: replicationControllerController,
  },
];
