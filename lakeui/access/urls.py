"""Addresses of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from lakeui.access import views

urlpatterns = [
    path("", views.start, name="start"),
    path("login/", views.SignInView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(next_page="login"), name="logout"),
]
