export * from "@capstan/kinds/admissionregistration.k8s.io/v1";
