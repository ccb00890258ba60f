// The places where a bug can be planted: each wraps a port of the code under test.

import type { Transport } from "../../src/api/client/transport.ts";
import type { Store } from "../../src/control/store/port.ts";
import type { Datastore } from "../../src/node/ipam/datastore/port.ts";
import type { Machine } from "./cluster/machine.ts";
import type { Disk } from "./model/disk.ts";
import type { ModelEtcd } from "./model/etcd.ts";
import type { ModelEtcdClient, UsedEtcdClient } from "./model/etcd-client.ts";
import type { Simulation } from "./simulation.ts";

export interface Planted {
  /** The store of each API server. */
  store?(store: Store, simulation: Simulation): Store;
  /** The client by which an API server reaches etcd. */
  storeClient?(client: ModelEtcdClient, etcd: ModelEtcd): void;
  etcd?(etcd: ModelEtcd, simulation: Simulation): void;
  disk?(disk: Disk): void;
  /** The transport of a process, by its name. */
  transport?(transport: Transport, process: string, simulation: Simulation): Transport;
  /** The client by which IPAM reaches etcd. */
  ipamClient?(client: UsedEtcdClient): UsedEtcdClient;
  datastore?(datastore: Datastore): Datastore;
  machine?(machine: Machine): void;
}

export const nothingPlanted: Planted = {};
