export * from "@capstan/kinds/rbac.authorization.k8s.io/v1";
