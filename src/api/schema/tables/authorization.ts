// The type table of authorization.k8s.io/v1, one line per field. The grammar is in ../parse.ts.

export const authorization = `
ExtraValue = [string]

FieldSelectorAttributes
  rawSelector  1 string
  requirements 2 [meta.FieldSelectorRequirement] atomic

LabelSelectorAttributes
  rawSelector  1 string
  requirements 2 [meta.LabelSelectorRequirement] atomic

LocalSubjectAccessReview kind # Asks whether somebody may do something in one namespace.
  metadata 1 meta.ObjectMeta
  spec!    2 SubjectAccessReviewSpec
  status   3 SubjectAccessReviewStatus

NonResourceAttributes
  path 1 string
  verb 2 string

NonResourceRule
  verbs!          1 [string] atomic
  nonResourceURLs 2 [string] atomic

ResourceAttributes
  namespace     1 string
  verb          2 string
  group         3 string
  version       4 string
  resource      5 string
  subresource   6 string
  name          7 string
  fieldSelector 8 *FieldSelectorAttributes
  labelSelector 9 *LabelSelectorAttributes

ResourceRule
  verbs!        1 [string] atomic
  apiGroups     2 [string] atomic
  resources     3 [string] atomic
  resourceNames 4 [string] atomic

SelfSubjectAccessReview kind # Asks whether the caller may do something.
  metadata 1 meta.ObjectMeta
  spec!    2 SelfSubjectAccessReviewSpec
  status   3 SubjectAccessReviewStatus

SelfSubjectAccessReviewSpec
  resourceAttributes    1 *ResourceAttributes
  nonResourceAttributes 2 *NonResourceAttributes

SelfSubjectRulesReview kind # Asks what the caller may do in one namespace.
  metadata 1 meta.ObjectMeta
  spec!    2 SelfSubjectRulesReviewSpec
  status   3 SubjectRulesReviewStatus

SelfSubjectRulesReviewSpec
  namespace 1 string

SubjectAccessReview kind # Asks whether somebody may do something.
  metadata 1 meta.ObjectMeta
  spec!    2 SubjectAccessReviewSpec
  status   3 SubjectAccessReviewStatus

SubjectAccessReviewSpec
  resourceAttributes    1 *ResourceAttributes
  nonResourceAttributes 2 *NonResourceAttributes
  user                  3 string
  groups                4 [string] atomic
  extra                 5 {ExtraValue}
  uid                   6 string

SubjectAccessReviewStatus
  allowed!        1 boolean
  denied          4 boolean
  reason          2 string
  evaluationError 3 string

SubjectRulesReviewStatus
  resourceRules!    1 [ResourceRule]    atomic
  nonResourceRules! 2 [NonResourceRule] atomic
  incomplete!       3 boolean
  evaluationError   4 string
`;
