"""Addresses of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path, re_path

from lakeui.access import second_factor_views, views

urlpatterns = [
    path("", views.application, name="start"),
    # Addresses that the browser application draws (frontend/src/app.tsx names the same).
    re_path(r"^(?P<rest>(?:c|inbox|merges|people|tasks|settings)(?:/.*)?)$", views.application, name="application"),
    path("login/", views.SignInView.as_view(), name="login"),
    path("login/sso/", views.sign_on, name="sign-on"),
    path("login/sso/done/", views.sign_on_done, name="sign-on-done"),
    path("login/code/", second_factor_views.CodeView.as_view(), name="sign-in-code"),
    path("second-factor/", second_factor_views.SecondFactorView.as_view(), name="second-factor"),
    path("invitation/", views.InvitationView.as_view(), name="invitation"),
    path("logout/", LogoutView.as_view(next_page="login"), name="logout"),
]
