"""The address of the endpoint."""

from django.urls import path

from lakeui.mcp.views import McpView

urlpatterns = [path("mcp", McpView.as_view(), name="mcp"), path("mcp/", McpView.as_view())]
