"""moto's S3 server on a port of this machine, one request after another: `python -m s3_server PORT`.

Its own program answers each request in a thread. There a conditional put looks whether the key is there and makes it in two
steps, so that of two at once both may be told that they made it; S3 promises that one is.
"""

import sys

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple

run_simple("127.0.0.1", int(sys.argv[1]), DomainDispatcherApplication(create_backend_app), threaded=False)
