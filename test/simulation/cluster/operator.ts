// An operator who creates and deletes services and pods.

import type { Draft } from "../../../src/api/client/objects.ts";
import type { Pod, Service } from "../../../src/api/types/core.ts";
import type { Process } from "../process.ts";
import type { World } from "../world.ts";
import { unlessLost } from "./users.ts";

const namespace = "default";
const apps = ["blue", "green"];
/** The number of objects of a kind, so that address ranges are nearly full. */
const mostServices = 8;
const mostPods = 10;

export function operator(world: World) {
  return async (process: Process): Promise<void> => {
    const client = world.clientOf(process);
    const services = client.resource("v1", "Service");
    const pods = client.resource("v1", "Pod");
    const { simulation } = world;
    while (world.isTroubled) {
      await process.clock.sleep(simulation.draw(200, 3_000));
      const number = simulation.draw(0, mostServices);
      const name = `service-${number}`;
      const turn = simulation.random.fraction();
      if (turn < 0.3) await unlessLost(services.create(service(name, simulation.pick(apps))));
      else if (turn < 0.45) await unlessLost(services.delete({ namespace, name }));
      else if (turn < 0.8) {
        await unlessLost(
          pods.create(pod(`pod-${simulation.draw(0, mostPods)}`, simulation.pick(apps))),
        );
      } else {
        await unlessLost(pods.delete({ namespace, name: `pod-${simulation.draw(0, mostPods)}` }));
      }
    }
  };
}

function service(name: string, app: string): Draft<Service> {
  return {
    metadata: { namespace, name },
    spec: { selector: { app }, ports: [{ port: 80 }], ipFamilyPolicy: "PreferDualStack" },
  };
}

function pod(name: string, app: string): Draft<Pod> {
  return {
    metadata: { namespace, name, labels: { app } },
    spec: { containers: [{ name: "web", image: "web" }] },
  };
}
