{{- define "lakeui.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "lakeui.selector" -}}
app.kubernetes.io/name: lakeui
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "lakeui.labels" -}}
{{ include "lakeui.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "lakeui.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The user is that of the image, by number, so that Kubernetes can tell that it is not root. */}}
{{- define "lakeui.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: warehouse
    persistentVolumeClaim:
      claimName: {{ .Values.warehouse.existingClaim | default (printf "%s-warehouse" (include "lakeui.name" .)) }}
  - {name: home, emptyDir: {}}
  - {name: tmp, emptyDir: {}}
{{- end -}}

{{- define "lakeui.container" -}}
image: {{ include "lakeui.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: warehouse, mountPath: /srv/warehouse}
  - {name: home, mountPath: /srv/home}
  - {name: tmp, mountPath: /tmp}
{{- end -}}

{{- define "lakeui.environment" -}}
envFrom:
  - secretRef: {name: {{ .Values.secretName | quote }}}
env:
  - {name: SPARK_REMOTE, value: "sc://{{ include "lakeui.name" . }}-spark:15002"}
  - {name: LAKEUI_SPARK_QUERY_REMOTE, value: "sc://{{ include "lakeui.name" . }}-spark-queries:15002"}
  {{- if not (hasKey .Values.settings "LAKEUI_LOG_FORMAT") }}
  - {name: LAKEUI_LOG_FORMAT, value: json}
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ if kindIs "bool" $value }}{{ ternary "1" "0" $value | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
  {{- end }}
{{- end -}}

{{/* Migrates before this version serves. Only one runs at a time, others wait, and what is done is not done again. */}}
{{- define "lakeui.prepare" -}}
initContainers:
  - name: prepare
    {{- include "lakeui.container" . | nindent 4 }}
    args: [python, manage.py, prepare]
    {{- include "lakeui.environment" . | nindent 4 }}
      # The image holds the static files; this container may not write there.
      - {name: LAKEUI_STATIC_ROOT, value: /srv/home/static}
{{- end -}}
