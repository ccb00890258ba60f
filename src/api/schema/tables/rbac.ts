// The type table of rbac.authorization.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const rbac = `
AggregationRule
  clusterRoleSelectors 1 [meta.LabelSelector] atomic

ClusterRole kind # Permissions everywhere, or to be granted namespace by namespace.
  metadata        1 meta.ObjectMeta
  rules           2 [PolicyRule] atomic
  aggregationRule 3 *AggregationRule

ClusterRoleBinding kind # Grants a cluster role everywhere.
  metadata 1 meta.ObjectMeta
  subjects 2 [Subject] atomic
  roleRef! 3 RoleRef

ClusterRoleBindingList kind
  metadata 1 meta.ListMeta
  items!   2 [ClusterRoleBinding]

ClusterRoleList kind
  metadata 1 meta.ListMeta
  items!   2 [ClusterRole]

PolicyRule
  verbs!          1 [string] atomic
  apiGroups       2 [string] atomic
  resources       3 [string] atomic
  resourceNames   4 [string] atomic
  nonResourceURLs 5 [string] atomic

Role kind # Permissions within one namespace.
  metadata 1 meta.ObjectMeta
  rules    2 [PolicyRule] atomic

RoleBinding kind # Grants a role within one namespace.
  metadata 1 meta.ObjectMeta
  subjects 2 [Subject] atomic
  roleRef! 3 RoleRef

RoleBindingList kind
  metadata 1 meta.ListMeta
  items!   2 [RoleBinding]

RoleList kind
  metadata 1 meta.ListMeta
  items!   2 [Role]

RoleRef atomic
  apiGroup 1 string
  kind!    2 string
  name!    3 string

Subject atomic
  kind!     1 string
  apiGroup  2 string
  name!     3 string
  namespace 4 string
`;
