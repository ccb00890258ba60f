/** Keys that change what the plugin does. */
const used = [
  "addresses",
  "configuration_path",
  "data_dir",
  "datastore",
  "dns",
  "enable_overlapping_ranges",
  "etcd_ca_cert_file",
  "etcd_cert_file",
  "etcd_host",
  "etcd_key_file",
  "etcd_password",
  "etcd_username",
  "exclude",
  "gateway",
  "ipRanges",
  "ips",
  "k8s_api_root",
  "kubernetes",
  "log_file",
  "log_level",
  "network_name",
  "node_name",
  "node_slice_size",
  "range",
  "range_end",
  "range_start",
  "routes",
  "secondary_range",
  "secondary_range_end",
  "secondary_range_start",
  "sticky_seconds",
  "type",
];

/** Keys of existing configurations that are accepted without effect: there is no leader to elect. */
const idle = [
  "Name",
  "leader_lease_duration",
  "leader_renew_deadline",
  "leader_retry_period",
  "name",
  "reconciler_cron_expression",
  "sleep_for_race",
];

const usedInRange = [
  "addresses",
  "exclude",
  "gateway",
  "node_slice_size",
  "range",
  "range_end",
  "range_start",
];

export function isKnownKey(key: string): boolean {
  return used.includes(key) || idle.includes(key);
}

export function isKnownRangeKey(key: string): boolean {
  return usedInRange.includes(key);
}
