// The usage of a node in Prometheus' form, under the names that kubelets and cAdvisor use.

import { availableParallelism } from "node:os";
import type { ContainerSample, PodSample } from "./samples.ts";
import type { Usage } from "./usage.ts";

type Labels = Readonly<Record<string, string>>;
type Line = readonly [labels: Labels, value: number];

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly lines: readonly Line[];
}

/** Returns what `/metrics/resource` answers. */
export function resourceMetrics({ sample }: Usage): string {
  const { machine, pods } = sample;
  const byContainer = (value: (each: ContainerSample) => number): Line[] =>
    pods.flatMap((each) =>
      each.containers.map(
        (container): Line => [containerLabels(each, container), value(container)],
      ),
    );
  const byPod = (value: (each: ContainerSample) => number): Line[] =>
    pods
      .filter(({ containers }) => containers.length > 0)
      .map((each): Line => [podLabels(each), total(each.containers.map(value))]);
  return render([
    counter(
      "container_cpu_usage_seconds_total",
      "CPU time used by the container",
      byContainer(cpu),
    ),
    gauge(
      "container_memory_working_set_bytes",
      "Working set of the container",
      byContainer(memory),
    ),
    gauge("container_start_time_seconds", "Start time of the container", byContainer(start)),
    counter("node_cpu_usage_seconds_total", "CPU time used by the node", [
      [{}, Number(machine.cpuNanos) / 1e9],
    ]),
    gauge("node_memory_working_set_bytes", "Working set of the node", [
      [{}, machine.workingSetBytes],
    ]),
    counter("pod_cpu_usage_seconds_total", "CPU time used by the pod", byPod(cpu)),
    gauge("pod_memory_working_set_bytes", "Working set of the pod", byPod(memory)),
    gauge("resource_scrape_error", "1 if there was an error while reading, else 0", [[{}, 0]]),
  ]);
}

/** Returns what `/metrics/cadvisor` answers. */
export function cadvisorMetrics({ sample }: Usage): string {
  const { pods, machine } = sample;
  const byContainer = (value: (each: ContainerSample) => number): Line[] =>
    pods.flatMap((each) =>
      each.containers.map((container): Line => {
        const { id, image } = container.state;
        return [
          { ...containerLabels(each, container), id: `/${id}`, image, name: id },
          value(container),
        ];
      }),
    );
  const byInterface = (value: "rxBytes" | "rxErrors" | "txBytes" | "txErrors"): Line[] =>
    pods.flatMap((each) =>
      each.interfaces.map((one): Line => [{ ...podLabels(each), interface: one.name }, one[value]]),
    );
  return render([
    counter(
      "container_cpu_usage_seconds_total",
      "CPU time used by the container",
      byContainer(cpu),
    ),
    gauge(
      "container_last_seen",
      "Time of this look",
      byContainer(() => sample.at / 1_000),
    ),
    gauge(
      "container_memory_rss",
      "Anonymous memory",
      byContainer(({ usage }) => usage.residentBytes),
    ),
    gauge(
      "container_memory_usage_bytes",
      "Memory with the page cache",
      byContainer(({ usage }) => usage.memoryBytes),
    ),
    gauge("container_memory_working_set_bytes", "Working set", byContainer(memory)),
    counter("container_network_receive_bytes_total", "Bytes received", byInterface("rxBytes")),
    counter("container_network_receive_errors_total", "Errors receiving", byInterface("rxErrors")),
    counter("container_network_transmit_bytes_total", "Bytes sent", byInterface("txBytes")),
    counter("container_network_transmit_errors_total", "Errors sending", byInterface("txErrors")),
    gauge("container_start_time_seconds", "Start time of the container", byContainer(start)),
    gauge("machine_cpu_cores", "Processors of the node", [[{}, availableParallelism()]]),
    gauge("machine_memory_bytes", "Memory of the node", [
      [{}, machine.workingSetBytes + machine.availableBytes],
    ]),
  ]);
}

const cpu = ({ usage }: ContainerSample) => Number(usage.cpuNanos) / 1e9;
const memory = ({ usage }: ContainerSample) => usage.workingSetBytes;
const start = ({ state }: ContainerSample) => state.startedAt.getTime() / 1_000;

function podLabels({ pod }: PodSample): Labels {
  return { namespace: pod.metadata.namespace, pod: pod.metadata.name };
}

function containerLabels(pod: PodSample, { state }: ContainerSample): Labels {
  return { container: state.labels.container, ...podLabels(pod) };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function counter(name: string, help: string, lines: readonly Line[]): Metric {
  return { name, help, type: "counter", lines };
}

function gauge(name: string, help: string, lines: readonly Line[]): Metric {
  return { name, help, type: "gauge", lines };
}

function render(metrics: readonly Metric[]): string {
  const texts = metrics
    .filter(({ lines }) => lines.length > 0)
    .map(({ name, help, type, lines }) =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...lines.map(([labels, value]) => `${name}${labelText(labels)} ${value}`),
      ].join("\n"),
    );
  return `${texts.join("\n")}\n`;
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}
