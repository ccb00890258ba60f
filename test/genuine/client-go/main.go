// A client-go program that takes nothing but protobuf. "fixtures" prints what Kubernetes' own serializers
// write; "exercise" works with a server and prints one line of JSON about what it saw.
package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const contentType = "application/vnd.kubernetes.protobuf"

func main() {
	if os.Args[1] == "fixtures" {
		fixtures()
		return
	}
	exercise(os.Args[2], os.Args[3])
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func say(name string, object any, bytes []byte) {
	text, err := json.Marshal(object)
	check(err)
	line, err := json.Marshal(map[string]any{"name": name, "object": json.RawMessage(text), "bytes": hex.EncodeToString(bytes)})
	check(err)
	fmt.Println(string(line))
}

func fixtures() {
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), contentType)
	encode := func(object runtime.Object, version schema.GroupVersion) []byte {
		var buffer bytes.Buffer
		check(scheme.Codecs.EncoderForVersion(info.Serializer, version).Encode(object, &buffer))
		return buffer.Bytes()
	}
	v1 := corev1.SchemeGroupVersion
	one := corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default", Labels: map[string]string{"x": "y"}}, Data: map[string]string{"k": "v"}}
	two := *one.DeepCopy()
	two.Name = "b"
	left := int64(7)
	list := &corev1.ConfigMapList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMapList"}, ListMeta: metav1.ListMeta{ResourceVersion: "12", Continue: "more", RemainingItemCount: &left}, Items: []corev1.ConfigMap{one, two}}
	say("list", list, encode(list, v1))
	status := &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Message: `configmaps "x" not found`, Reason: "NotFound", Code: 404, Details: &metav1.StatusDetails{Name: "x", Kind: "configmaps", Causes: []metav1.StatusCause{{Type: "FieldValueInvalid", Message: "no", Field: "spec"}}}}
	say("status", status, encode(status, v1))
	var frame bytes.Buffer
	raw := protobuf.NewRawSerializer(scheme.Scheme, scheme.Scheme)
	event := &metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: encode(&one, v1)}}
	check(raw.Encode(event, info.StreamSerializer.Framer.NewFrameWriter(&frame)))
	say("event", one, frame.Bytes())
	seconds := int64(9223372036854775807)
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", Generation: 3546343826724305833}, Spec: corev1.PodSpec{Containers: []corev1.Container{}, TerminationGracePeriodSeconds: &seconds}}
	say("int64", pod, encode(pod, v1))
}

func exercise(kubeconfig, namespace string) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	check(err)
	config.ContentType = contentType
	config.AcceptContentTypes = contentType
	client, err := kubernetes.NewForConfig(config)
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	maps := client.CoreV1().ConfigMaps(namespace)
	saw := map[string]any{}

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	added := make(chan string, 16)
	deleted := make(chan string, 16)
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { added <- object.(*corev1.ConfigMap).Name },
		DeleteFunc: func(object any) { deleted <- object.(*corev1.ConfigMap).Name },
	})
	check(err)
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		check(fmt.Errorf("the informer did not synchronise"))
	}
	created, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "genuine", Labels: map[string]string{"x": "y"}}, Data: map[string]string{"k": "v"}}, metav1.CreateOptions{})
	check(err)
	saw["created"] = created.Data["k"]
	for name := ""; name != "genuine"; {
		select {
		case name = <-added:
		case <-ctx.Done():
			check(ctx.Err())
		}
	}
	saw["informed"] = true
	list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "x=y"})
	check(err)
	saw["listed"] = len(list.Items)
	_, err = maps.Get(ctx, "missing", metav1.GetOptions{})
	saw["missing"] = apierrors.IsNotFound(err)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Not A Name"}}, metav1.CreateOptions{})
	saw["invalid"] = apierrors.IsInvalid(err)
	grace := int64(3546343826724305833)
	pod, err := client.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "genuine"}, Spec: corev1.PodSpec{TerminationGracePeriodSeconds: &grace, Containers: []corev1.Container{{Name: "a", Image: "b"}}}}, metav1.CreateOptions{})
	check(err)
	saw["exact"] = *pod.Spec.TerminationGracePeriodSeconds == grace
	svc, err := client.CoreV1().Services(namespace).Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "genuine"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
	check(err)
	svc.Labels = map[string]string{"changed": "yes"}
	svc, err = client.CoreV1().Services(namespace).Update(ctx, svc, metav1.UpdateOptions{})
	check(err)
	saw["clusterIP"] = svc.Spec.ClusterIP
	check(maps.Delete(ctx, "genuine", metav1.DeleteOptions{}))
	select {
	case saw["deleted"] = <-deleted:
	case <-ctx.Done():
		check(ctx.Err())
	}
	partial := rest.CopyConfig(config)
	meta, err := metadata.NewForConfig(partial)
	check(err)
	metas, err := meta.Resource(schema.GroupVersionResource{Version: "v1", Resource: "services"}).Namespace(namespace).List(ctx, metav1.ListOptions{})
	check(err)
	saw["metadata"] = len(metas.Items)
	text, err := json.Marshal(saw)
	check(err)
	fmt.Println(string(text))
}
